/** A service in another container over the same state directory, where the numbers of processes are of another namespace. */
import { mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { directoryOf, recordFile } from '../../../src/lib/service-record.ts';
import { claim } from '../../../src/store/service-claim.ts';
import { cli } from '../cli.ts';

function home(record: object): string {
  const path = mkdtempSync(join(tmpdir(), 'caisson-elsewhere-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  const common = { version: '9.9.9', startedAt: '2026-01-02T10:00:00.000Z', startTime: '1', token: 'secret-token' };
  const place = { socket: '/home/caisson/service.sock', url: 'http://127.0.0.1:7480', directory: directoryOf(path) };
  writeFileSync(recordFile(path), JSON.stringify({ ...common, ...place, pid: 7, ...record }), { mode: 0o600 });
  return path;
}

const other = { mountNamespace: 'mnt:[1]' };

it('is reported, though no process here has its number', async () => {
  const path = home(other);
  const held = claim(path);
  onTestFinished(() => held?.release());
  const { exitCode, stdout } = await cli(['service', 'status', '--home', path]);
  expect([exitCode, stdout]).toEqual([
    0,
    'a service of version 9.9.9 runs in another container: http://127.0.0.1:7480\n',
  ]);
  const json = await cli(['service', 'status', '--home', path, '-o', 'json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ running: true, elsewhere: true, url: 'http://127.0.0.1:7480' });
  expect(json.stdout).not.toContain('secret-token');
  expect((await cli(['status', '--home', path])).stdout).toContain('runs in another container, http://127.0.0.1:7480');
});

it('is not stopped by the number of a process, and the error says what stops it', async () => {
  const path = home({ ...other, pid: process.pid });
  const held = claim(path);
  onTestFinished(() => held?.release());
  const { exitCode, stderr } = await cli(['service', 'stop', '--home', path]);
  expect([exitCode, stderr]).toEqual([125, expect.stringContaining('the service runs in another container')]);
  expect(stderr).toContain('docker compose stop');
});

it('that has ended without a word was killed, in whichever container', async () => {
  const gone = /^no service runs: the last one \(process 7\) was killed\n$/;
  const own = { mountNamespace: readlinkSync('/proc/self/ns/mnt') };
  for (const record of [other, own]) {
    const { exitCode, stdout } = await cli(['service', 'status', '--home', home(record)]);
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(gone)]);
  }
});
