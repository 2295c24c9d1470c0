/** `caisson serve --background` and `caisson service`, each as a process of its own. */
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answerFile, isServiceAlive, readServiceRecord, recordFile } from '../../../src/lib/service-record.ts';
import { startTimeOf } from '../../../src/lib/start-time.ts';
import { askSocket } from '../../http/unix.ts';
import type { Ended } from '../process.ts';
import { type Home, openHome } from './home.ts';

const inBackground = ['serve', '--background', '--port', '0'];
const recordOf = ({ path }: Home) => readServiceRecord(path) ?? expect.fail('there is no record');
/** One that has ended stays in /proc until its parent has looked. */
const isThere = (pid: number): boolean => startTimeOf(pid) !== null;
const jsonOf = ({ stdout }: Ended): Readonly<Record<string, unknown>> => Object(JSON.parse(stdout));
const started = async (home: Home, ...more: readonly string[]) => {
  const { exitCode, stdout, stderr } = await home.caisson([...inBackground, ...more]);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toBe(`${recordOf(home).url}\n`);
  return recordOf(home);
};

describe('a service in the background', { timeout: 200_000 }, () => {
  it('is ready when its start returns, is found by the next, and is gone when its stop returns', async () => {
    await using home = openHome();
    const { pid, socket, url } = await started(home);
    expect((await askSocket(socket, '/readyz')).status).toBe(200);
    const status = await home.caisson(['service', 'status', '-o', 'json']);
    expect([status.exitCode, jsonOf(status)]).toEqual([
      0,
      expect.objectContaining({ running: true, pid, url, socket, execs: 0, streams: 0, flags: { port: '0' } }),
    ]);
    expect(status.stdout).not.toContain(recordOf(home).token);
    expect((await home.caisson(['service', 'status'])).stdout).toMatch(new RegExp(`PID .*\\n${pid} .*${url}`));

    const again = await home.caisson(inBackground);
    expect(again).toMatchObject({ exitCode: 0, stdout: `${url}\n`, stderr: expect.stringContaining('runs already') });
    const other = await home.caisson(['serve', '--background', '--port', '1']);
    expect(other).toMatchObject({ exitCode: 125, stderr: expect.stringContaining('(failed_precondition)') });
    expect(home.serving()).toEqual([pid]);

    const logs = await home.caisson(['service', 'logs', '-n', '1000']);
    expect(logs.stdout).toContain('"msg":"listening"');
    expect(logs.stdout).not.toContain(recordOf(home).token);
    expect(statSync(join(home.path, 'service.log')).mode & 0o777).toBe(0o600);

    expect(await home.caisson(['service', 'stop'])).toMatchObject({
      exitCode: 0,
      stderr: `caisson: stopped, process ${pid}\n`,
    });
    expect([isThere(pid), existsSync(recordFile(home.path)), existsSync(socket)]).toEqual([false, false, false]);
    expect(await home.caisson(['service', 'status'])).toMatchObject({ exitCode: 1, stdout: 'no service runs\n' });
    expect(await home.caisson(['service', 'stop'])).toMatchObject({
      exitCode: 0,
      stderr: 'caisson: no service runs\n',
    });
  });

  it('is started once by ten who start it at the same time', async () => {
    await using home = openHome();
    const all = await Promise.all(Array.from({ length: 10 }, () => home.caisson(inBackground)));
    const { url, pid } = recordOf(home);
    expect(all.map(({ exitCode, stdout }) => [exitCode, stdout])).toEqual(all.map(() => [0, `${url}\n`]));
    await expect.poll(home.serving, { timeout: 20_000 }).toEqual([pid]);
  });

  it('that was killed leaves nothing that stops the next one, or that is taken for it', async () => {
    await using home = openHome();
    const { pid, token } = await started(home);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => isServiceAlive(recordOf(home))).toBe(false);
    const status = await home.caisson(['service', 'status']);
    expect(status).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(`process ${pid}) was killed`) });
    // Its number may be that of another process by now, which is neither asked nor stopped.
    writeFileSync(recordFile(home.path), JSON.stringify({ ...recordOf(home), pid: process.pid }));
    expect((await home.caisson(['service', 'stop'])).stderr).toBe('caisson: no service runs\n');
    const next = await started(home);
    expect(next.token).not.toBe(token);
    expect((await askSocket(next.socket, '/v1/sandboxes', { token })).status).toBe(401);
  });

  it('that cannot start is reported with its exit code and what it said last, and is not left', async () => {
    await using home = openHome();
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const port = String(Object(taken.address()).port);
    const { exitCode, stdout, stderr } = await home.caisson(['serve', '--background', '--port', port]);
    taken.close();
    expect([exitCode, stdout]).toEqual([125, '']);
    expect(stderr).toMatch(/the service has not started \(exit code 125\): .*port \d+ of 127\.0\.0\.1 is in use/);
    expect([home.serving(), existsSync(recordFile(home.path)), existsSync(answerFile(home.path))]).toEqual([
      [],
      false,
      false,
    ]);
    await started(home);
  });

  it('ends by itself when nothing was to do', async () => {
    await using home = openHome();
    // On a busy machine it may have ended before this test looks for it.
    expect(await home.caisson([...inBackground, '--exit-when-idle', '1s'])).toMatchObject({ exitCode: 0 });
    await expect.poll(() => existsSync(recordFile(home.path)), { timeout: 30_000 }).toBe(false);
    expect(readFileSync(join(home.path, 'service.log'), 'utf8')).toContain('nothing was to do for so long');
    expect((await home.caisson(['service', 'status'])).exitCode).not.toBe(0);
  });

  it('of another version is named with what to do, and can be stopped', async () => {
    await using home = openHome();
    const { pid } = await started(home);
    writeFileSync(recordFile(home.path), JSON.stringify({ ...recordOf(home), version: '0.0.1' }));
    const start = await home.caisson(inBackground);
    expect(start).toMatchObject({ exitCode: 125, stderr: expect.stringMatching(/version 0\.0\.1 .*\n.*service stop/) });
    const status = await home.caisson(['service', 'status']);
    expect(status).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('0.0.1') });
    expect((await home.caisson(['service', 'stop'])).exitCode).toBe(0);
    expect(isThere(pid)).toBe(false);
  });

  it('that does not answer is named, and waited for no longer than was said', async () => {
    await using home = openHome();
    const { pid } = await started(home);
    process.kill(pid, 'SIGSTOP');
    const [status, stop] = await Promise.all([
      home.caisson(['service', 'status']),
      home.caisson(['service', 'stop', '--timeout', '1s']),
    ]);
    expect(status).toMatchObject({ exitCode: 125, stderr: expect.stringContaining('does not answer (unavailable)') });
    expect(stop).toMatchObject({ exitCode: 124, stderr: expect.stringContaining('(timed_out)') });
    process.kill(pid, 'SIGCONT');
    await expect.poll(() => isThere(pid), { timeout: 30_000 }).toBe(false);
  });

  it('is not started by a command that Caisson runs, nor on a state directory that others may write', async () => {
    await using home = openHome();
    const inside = await home.caisson(inBackground, { env: { CAISSON_EXEC: 'exec_x' } });
    expect(inside).toMatchObject({ exitCode: 125, stderr: expect.stringContaining('(permission_denied)') });
    chmodSync(home.path, 0o777);
    const loose = await home.caisson(inBackground);
    expect(loose).toMatchObject({ exitCode: 125, stderr: expect.stringContaining('can be written by other users') });
    expect(home.serving()).toEqual([]);
    chmodSync(home.path, 0o700);
  });
});

it('its log is followed, from the last lines on', { timeout: 100_000 }, async () => {
  await using home = openHome();
  const log = join(home.path, 'service.log');
  expect((await home.caisson(['service', 'logs'])).stderr).toContain('there is no log');
  writeFileSync(log, 'one\ntwo\nthree\n');
  const { stdout } = await home.caisson(['service', 'logs', '-f', '-n', '2'], {
    onOutput: (text, pid) => {
      if (text === 'two\nthree\n') writeFileSync(log, 'four\n', { flag: 'a' });
      if (text.endsWith('four\n')) process.kill(pid, 'SIGINT');
    },
  });
  expect(stdout).toBe('two\nthree\nfour\n');
});
