import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reach } from '../../../src/cli/service/reach.ts';
import { openService } from '../../../src/cli/service/way.ts';
import { version } from '../../../src/lib/build.ts';
import { claim } from '../../../src/store/service-claim.ts';
import { recordFile, type ServiceRecord } from '../../../src/lib/service-record.ts';
import { startTimeOf } from '../../../src/lib/start-time.ts';

let home = '';
let server: Server;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'caisson-reach-'));
  server = createServer((socket) => socket.on('error', () => undefined));
});
afterEach(async () => {
  if (server.listening) server.close();
  await rm(home, { recursive: true });
});

const listen = async (): Promise<void> => {
  server.listen(join(home, 's'));
  await once(server, 'listening');
};
const record = async (more: Partial<ServiceRecord> = {}): Promise<void> => {
  const own = { pid: process.pid, startTime: startTimeOf(process.pid), version: version() };
  const rest = { startedAt: 'now', socket: join(home, 's'), url: 'http://x', mountNamespace: null, token: 't' };
  await writeFile(recordFile(home), JSON.stringify({ ...rest, ...own, ...more }));
};
const opening = { env: { CAISSON_HOME: '', HOME: '/nowhere' }, cwd: '/' };

describe('a command finds the service of its state directory', () => {
  it('goes without a service that is absent, and where the caller says so', async () => {
    expect(await openService({ ...opening, home })).toBeNull();
    await listen();
    await record();
    expect(await openService({ ...opening, home, embedded: true })).toBeNull();
    expect(await openService({ ...opening, home, env: { CAISSON_EMBEDDED: '1' } })).toBeNull();
  });

  it('goes through one that listens', async () => {
    await listen();
    await record();
    expect((await reach(home))?.pid).toBe(process.pid);
  });

  it('goes without one whose process is gone, also where its number names another process now', async () => {
    const child = spawn('true');
    await once(child, 'exit');
    await record({ pid: child.pid ?? 1 });
    expect(await reach(home)).toBeNull();
    await record({ startTime: '1' });
    expect(await reach(home)).toBeNull();
  });

  it('says so where it goes without one that lives in another container, whose processes it does not see', async () => {
    await listen();
    const notices: string[] = [];
    const open = async () => await openService({ ...opening, home, onNotice: (text) => void notices.push(text) });
    await record({ startTime: '1', mountNamespace: 'mnt:[1]' });
    expect([await open(), notices]).toEqual([null, []]);
    const held = claim(home);
    expect([await open(), notices]).toEqual([
      null,
      ['the service of this state directory runs in another container: this command goes without it'],
    ]);
    held?.release();
  });

  it('fails where it lives and does not listen', async () => {
    await record();
    await expect(reach(home)).rejects.toMatchObject({
      code: 'unavailable',
      message: `the service (process ${process.pid}) lives and does not answer`,
      remedy: expect.stringContaining('--embedded'),
    });
  });

  it('waits a moment for one that starts, and for one that ends', async () => {
    await record();
    setTimeout(() => void listen(), 150);
    expect(await reach(home)).not.toBeNull();
    server.close();
    setTimeout(() => void rm(recordFile(home)), 150);
    expect(await reach(home)).toBeNull();
  });

  it('names both versions where the service has another one', async () => {
    await listen();
    await record({ version: '0.0.1' });
    await expect(reach(home)).rejects.toMatchObject({
      code: 'failed_precondition',
      message: `the service has version 0.0.1, and this is version ${version()}`,
      remedy: expect.stringMatching(/caisson service stop.*--embedded/),
    });
  });

  it('says that switches of the environment cannot change a service, and goes without it', async () => {
    await listen();
    await record();
    const notices: string[] = [];
    const env = { CAISSON_TERMINAL_TIMEOUT: '3', CAISSON_DEBUG: '1' };
    expect(await openService({ ...opening, env, home, onNotice: (text) => void notices.push(text) })).toBeNull();
    expect(notices).toEqual([
      'CAISSON_TERMINAL_TIMEOUT is not what the service was started with: this command goes without the service',
    ]);
  });

  it.each([
    ['CAISSON_URL', true],
    ['CAISSON_TOKEN', true],
    ['CAISSON_AGENT_NAME', true],
    ['HERMES_URL', true],
    ['HERMES_EXEC_ASK', true],
    ['CAISSON_CRON_SESSION', false],
    ['HERMES_CRON_SESSION', false],
    ['CAISSON_SINGLE_QUERY_SESSION', false],
    ['CAISSON_TERMINAL_DOCKER_IMAGE', false],
    ['CAISSON_APROVALS_MODE', false],
    ['CAISSON_CONTAINER_CPU', false],
  ])('stays with the service for a variable that is no key of the configuration: %s %s', async (name, stays) => {
    await listen();
    await record();
    const notices: string[] = [];
    const env = { [name]: 'x' };
    const opened = await openService({ ...opening, env, home, onNotice: (text) => void notices.push(text) });
    expect([opened !== null, notices.length]).toEqual([stays, stays ? 0 : 1]);
    await opened?.close();
  });
});
