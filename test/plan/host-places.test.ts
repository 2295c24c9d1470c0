import { createServer } from 'node:net';
import { mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hostPlaces, listening, peopleIn } from '../../src/plan/host-places.ts';
import { checkMount } from '../../src/plan/mounts.ts';

describe('places of this host that hold power or secrets', () => {
  it('are the homes of people, not of services', () => {
    const passwd = [
      'root:x:0:0::/root:/bin/sh',
      'www-data:x:33:33::/var/www:/x',
      'ann:x:1000:1000::/home/ann:/bin/sh',
      'bare:x:1001:1001::/:/bin/sh',
      'nobody:x:65534:65534:nobody:/nonexistent:/x',
      'broken',
    ];
    expect(peopleIn(passwd.join('\n'))).toEqual(['/root', '/home/ann']);
  });

  it('are the sockets of engines and agents, of any user', () => {
    const line = (path: string): string => `0000000083b1de6e: 00000002 00000000 00010000 0001 01 12345 ${path}`;
    const paths = ['/run/user/1001/podman/podman.sock', '/srv/own engine/docker.sock', '/tmp/ssh-Ab3/agent.77'];
    const others = ['/srv/app/mysql.sock', '/srv/docker/app.sock', '@abstract', ''];
    expect(listening([...paths, ...others].map(line).join('\n'))).toEqual(paths);
  });

  it('keep the directory of an engine that listens, or is named, out of a sandbox', async () => {
    const directory = await realpath(await mkdtemp(join(tmpdir(), 'caisson-socket-')));
    onTestFinished(() => rm(directory, { recursive: true }));
    const [engine, agent] = [createServer(), createServer()];
    await new Promise<void>((done) => engine.listen(join(directory, 'docker.sock'), done));
    onTestFinished(() => void engine.close());
    const refusal = (env: Record<string, string>): unknown => {
      try {
        return checkMount(
          { source: directory, target: '/w', readOnly: true },
          { stateDirectory: '/s', ...hostPlaces(env) },
        );
      } catch (error) {
        return error;
      }
    };
    expect(refusal({})).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('a socket of an engine'),
    });
    engine.close();
    expect(refusal({})).toMatchObject({ source: directory });
    await new Promise<void>((done) => agent.listen(join(directory, 'any name'), done));
    onTestFinished(() => void agent.close());
    await symlink(join(directory, 'any name'), join(directory, 'link'));
    for (const env of [{ SSH_AUTH_SOCK: join(directory, 'link') }, { DOCKER_HOST: `unix://${directory}/any name` }])
      expect(refusal(env)).toMatchObject({ code: 'invalid_argument' });
  });
});
