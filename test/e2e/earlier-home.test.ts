/**
 * A home that an earlier Caisson wrote (store version 2), taken over by this one. The fixture is what it left after `hooks accept`,
 * `run`, `exec --exec-id exec_once`, a command on local, a session, a detached process, and a stopped sandbox; its containers are gone.
 */
import { execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makeHome, type Home } from './home.ts';
import { start, tokenIn } from './http-service.ts';

const fixture = fileURLToPath(new URL('../fixtures/homes/store-2.tgz', import.meta.url));

/** Path at which the home was written. Tests run beside each other and cannot share it: each puts its own path in its place. */
const writtenIn = '/srv/caisson/home';

async function earlierHome(): Promise<Home> {
  const home = await makeHome();
  // Owners and modes as in any home: they are checked when it is opened.
  execFileSync('tar', ['xzf', fixture, '--no-same-owner', '--same-permissions', '-C', home.path]);
  const store = new DatabaseSync(join(home.path, 'caisson.db'));
  store.prepare('UPDATE sandboxes SET directory = replace(directory, ?, ?)').run(writtenIn, home.path);
  store.close();
  const hooks = join(home.path, 'hooks-accepted.json');
  await writeFile(hooks, (await readFile(hooks, 'utf8')).replaceAll(writtenIn, home.path));
  return home;
}

describe('a home of version 2', () => {
  it('is opened: its store is migrated once, with a copy, and its configuration holds', async () => {
    await using home = await earlierHome();
    const first = await home.cli(['ls']);
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('was brought from version 2 to ') });
    expect((await readdir(home.path)).filter((name) => name.startsWith('caisson.db.v2-'))).toHaveLength(1);
    expect((await home.cli(['ls'])).stderr).toBe('');
    expect(await home.cli(['config', 'check'])).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await home.cli(['config', 'show', 'terminal.container_memory']);
    expect(stdout).toMatch(/terminal\.container_memory +256/);
  });

  it('lists and inspects its sandboxes, and has their records and its audit', async () => {
    await using home = await earlierHome();
    // Its sandboxes have been idle since then: the first command may stop them.
    const idle = expect.stringMatching(/^(?:ready|stopping|stopped)$/);
    const { stdout } = await home.cli(['ls', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject([
      { taskId: 'build', backend: 'docker', state: idle, spec: { limits: { memoryBytes: 256 * 2 ** 20 } } },
      { taskId: 'here', backend: 'local' },
      { taskId: 'ci-1', backend: 'docker', state: 'stopped', spec: { limits: { cpuCores: 0.5 } } },
    ]);
    const shown = await home.cli(['inspect', 'build']);
    expect(shown.stdout).toMatch(/state +(?:ready|stopped); the backend says gone[^]*limits\.pids +256 +256/);
    expect(await home.cli(['logs', 'exec_once'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+%N\n$/),
    });
    expect((await home.cli(['logs', 'build'])).stderr).toContain('ended after');
    expect((await home.cli(['audit', 'verify'])).stdout).toBe('intact: 12 records, 1 to 12\n');
  });

  it('has its hook as it was accepted, and refuses it once it has changed', async () => {
    await using home = await earlierHome();
    expect((await home.cli(['hooks', 'ls'])).stdout).toMatch(/terminal +accepted +[0-9a-f]+ +check\.sh/);
    expect(await home.cli(['exec', 'build', '--', 'true'])).toMatchObject({ code: 0 });
    await writeFile(join(home.path, 'check.sh'), '#!/bin/sh\ntrue\n');
    expect(await home.cli(['exec', 'build', '--', 'true'])).toMatchObject({
      code: 126,
      stderr: expect.stringContaining('caisson hooks accept'),
    });
  });

  it('is gone on with: files are there, an exec id is known, rules and answers hold', async () => {
    await using home = await earlierHome();
    const [, known = ''] = /^(\d+%N)/.exec((await home.cli(['logs', 'exec_once'])).stdout) ?? [];
    const again = ['exec', 'build', '--exec-id', 'exec_once', '--', 'sh', '-c', 'date +%s%N'];
    expect(await home.cli(again)).toMatchObject({ code: 0, stdout: `${known}\n` });
    const files = ['exec', 'build', '--', 'cat', '/workspace/note', '/root/mine'];
    expect(await home.cli(files)).toMatchObject({
      code: 0,
      stdout: 'kept\nhome\n',
      stderr: expect.stringContaining('the sandbox had vanished and was made anew'),
    });
    expect(await home.cli(['exec', 'build', '--', 'git', 'push'])).toMatchObject({ code: 126 });
    // "recursive delete" is in its command_allowlist.
    expect(await home.cli(['exec', 'here', '--', 'rm', '-r', '/tmp/caisson-not-there'])).toMatchObject({ code: 1 });
    expect((await home.cli(['start', 'ci-1'])).stdout).toMatch(/^sbx_\w+ recreated\n$/);
    expect((await home.cli(['audit', 'verify'])).stdout).toMatch(/^intact: \d\d records, 1 to \d\d\n$/);
  });

  it('is used with the words of its time: those that have gone are named with the new one', async () => {
    await using home = await earlierHome();
    expect(await home.cli(['run', '-t', 'build', '--', 'true'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--task build'),
    });
    expect(await home.cli(['run', '--task', 'build', '--', 'true'])).toMatchObject({ code: 0 });
  });

  it('is removed whole', async () => {
    await using home = await earlierHome();
    expect(await home.cli(['rm', 'build', 'here', 'ci-1'])).toMatchObject({ code: 0, stdout: 'build\nhere\nci-1\n' });
    expect((await home.cli(['ls', '-q'])).stdout).toBe('');
    const kept = await readdir(join(home.path, 'sandboxes/docker'));
    expect(kept.filter((name) => name.startsWith('sbx_'))).toEqual([]);
  });
});

describe('a home of version 2 and the service', () => {
  it('is upgraded in place when the service starts, which has what the home held', async () => {
    await using home = await earlierHome();
    const token = await tokenIn(home, 'read', 'admin');
    const service = await start(home, token);
    try {
      const { items } = Object(await (await service.ask('/v1/sandboxes')).json());
      expect(items.map(({ taskId }: { taskId: string }) => taskId)).toEqual(['build', 'here', 'ci-1']);
      const record = await service.ask('/v1/sandboxes/build/execs/exec_once', { accept: 'application/json' });
      expect(await record.json()).toMatchObject({ exit: { reason: 'exited', exitCode: 0 } });
      expect(await (await service.ask('/metrics')).text()).toContain('caisson_sandboxes{backend="docker",state=');
    } finally {
      await service.stop();
    }
  });
});
