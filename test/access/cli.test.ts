/** The commands of the documents on the real command line, beside a program that brings messages. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Caisson } from '../../src/service/caisson.ts';
import { openCaisson } from '../../src/main.ts';
import { bin, type Ended, finished } from '../cli/process.ts';
import { codeFor, direct } from './world.ts';

const patience = { timeout: 60_000 };

interface Desk {
  readonly home: string;
  /** The program that brings messages. */
  readonly gateway: Caisson;
  readonly pairing: (...args: string[]) => Promise<Ended>;
}

async function desk({ dotenv = '', yolo = false } = {}): Promise<Desk> {
  const root = mkdtempSync(join(tmpdir(), 'caisson-pairing-'));
  const home = join(root, '.caisson');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, '.env'), dotenv, { mode: 0o600 });
  const env = { HOME: root, PATH: process.env['PATH'] ?? '', CAISSON_TERMINAL_BACKEND: 'local', USER: 'ada' };
  const gateway = await openCaisson({ env, cwd: root, yolo });
  onTestFinished(async () => {
    await gateway.close();
    rmSync(root, { recursive: true });
  });
  return { home, gateway, pairing: (...args) => finished(process.execPath, [bin, 'pairing', ...args], env) };
}

it('a stranger is let in and put out again by the documented commands', patience, async () => {
  const { gateway, pairing } = await desk();
  const code = await codeFor(
    gateway.access,
    direct('123456789', { from: { ids: ['123456789'], name: 'Eve\u001b[2J' } }),
  );
  await codeFor(gateway.access, direct('U01ABC123', { platform: 'slack' }));

  const list = await pairing('list');
  expect(list).toMatchObject({ exitCode: 0, stderr: '' });
  expect(list.stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 4))).toEqual([
    ['PLATFORM', 'USER', 'NAME', 'STATE'],
    ['slack', 'U01ABC123', '-', 'waiting'],
    ['telegram', '123456789', 'Eve[2J', 'waiting'],
    [''],
  ]);

  expect(await pairing('approve', 'telegram', code.toLowerCase())).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^telegram {2,}123456789 {2,}Eve\[2J {2,}paired .* ada on a terminal$/m),
    stderr: '',
  });
  const heard = { what: 'heard', rule: 'paired', answer: 'here' };
  expect(await gateway.access.message(direct('123456789'))).toEqual(heard);

  const { stdout } = await pairing('list', '-o', 'json');
  expect(JSON.parse(stdout)).toMatchObject({
    pending: [{ platform: 'slack', ids: ['U01ABC123'], name: null }],
    paired: [{ platform: 'telegram', ids: ['123456789'], name: 'Eve[2J', by: 'ada on a terminal' }],
    lockedOut: [],
  });
  expect((await pairing('list', '-q')).stdout).toBe('slack U01ABC123\ntelegram 123456789\n');

  expect(await pairing('clear-pending')).toMatchObject({ exitCode: 0, stdout: '1 request forgotten\n' });
  expect(await pairing('revoke', 'telegram', '123456789')).toMatchObject({
    exitCode: 0,
    stdout: 'telegram 123456789\n',
    stderr: '',
  });
  expect(await gateway.access.message(direct('123456789'))).toEqual({ what: 'ignored', why: 'asked-lately' });
});

it('warns of a flag that is neither true nor false', patience, async () => {
  const { gateway } = await desk({ dotenv: 'SLACK_ALLOW_ALL_USERS=on\nTELEGRAM_ALLOW_ALL_USERS=true\n' });
  const reported = gateway.config.notices.filter((notice) => notice.includes('ALLOW_ALL'));
  expect(reported).toEqual(['SLACK_ALLOW_ALL_USERS is neither true nor false: it admits no user']);
  expect(await gateway.access.message(direct('1', { platform: 'slack' }))).toMatchObject({ what: 'pair' });
  expect(await gateway.access.message(direct('1'))).toMatchObject({ what: 'heard', rule: 'platform-allow-all' });
});

it('people in a channel work in sandboxes of their own', patience, async () => {
  const { gateway } = await desk();
  const channel = { id: 'C1' };
  const [ada, eve] = await Promise.all(
    ['ada', 'eve'].map((id) => gateway.access.conversation({ ...direct(id), channel })),
  );
  await gateway.run({ taskId: ada ?? '', command: ['touch', 'note'] });
  expect((await gateway.sandboxes.list()).items.map(({ taskId }) => taskId)).toEqual([ada]);
  await gateway.run({ taskId: eve ?? '', command: ['true'] });
  expect((await gateway.sandboxes.list()).items.map(({ taskId }) => taskId)).toEqual([ada, eve]);
});

it('what fails says what to do, and never the code', patience, async () => {
  const { gateway, pairing } = await desk();
  await codeFor(gateway.access, direct('42'));
  const wrong = await pairing('approve', 'telegram', 'ABC12DEF');
  expect(wrong).toMatchObject({ exitCode: 125, stdout: '' });
  expect(wrong.stderr).toMatch(/^caisson: no request on telegram has this code \(not_found\)\n {2}try: .*4 of 5 tries/);
  for (let count = 0; count < 3; count += 1) await pairing('approve', 'telegram', 'ABC12DEF');
  for (let count = 0; count < 2; count += 1) {
    const locked = await pairing('approve', 'telegram', 'ABC12DEF', '-o', 'json');
    expect(JSON.parse(locked.stderr)).toMatchObject({ error: { code: 'resource_exhausted' } });
    expect(`${wrong.stderr}${locked.stdout}${locked.stderr}`).not.toContain('ABC12DEF');
  }
  const list = await pairing('list');
  expect(list.stderr).toMatch(/^caisson: nothing is approved on telegram until .*: too many codes were wrong\n$/);
  expect(await pairing('revoke', 'telegram', '42')).toMatchObject({
    exitCode: 125,
    stderr: expect.stringContaining('"42" is not paired on telegram (not_found)'),
  });
  expect(await pairing('approve', '../x', 'ABC12DEF')).toMatchObject({
    exitCode: 125,
    stderr: expect.stringContaining('cannot be the name of a platform (invalid_argument)'),
  });
  for (const args of [['approve', 'telegram'], ['revoke', 'telegram'], ['list', 'x'], ['aprove']])
    expect((await pairing(...args)).exitCode).toBe(2);
  const { stdout } = await finished(process.execPath, [bin, 'audit', 'tail'], {
    HOME: join(gateway.config.home, '..'),
  });
  expect(stdout).toMatch(/ access .* locked-out on telegram$/m);
  expect(stdout).not.toContain('ABC12DEF');
});

describe('a command that Caisson runs', () => {
  const say = 'no say in who may talk';

  it('is asked about before it changes who may talk', patience, async () => {
    const { gateway } = await desk();
    for (const verb of ['approve telegram ABC2DEF3', 'revoke telegram 42', 'clear-pending'])
      await expect(gateway.run({ command: ['sh', '-c', `caisson pairing ${verb}`] })).rejects.toMatchObject({
        code: 'approval_required',
      });
  });

  it('is refused when it does so all the same', patience, async () => {
    const { gateway, pairing } = await desk({ yolo: true });
    const code = await codeFor(gateway.access, direct('42'));
    for (const args of [['approve', 'telegram', code], ['revoke', 'telegram', '42'], ['clear-pending'], ['list']]) {
      const command = [process.execPath, bin, 'pairing', ...args] as const;
      const { exit, stderr } = await gateway.run({ taskId: 'build', command: [command[0], ...command.slice(1)] });
      expect([exit.exitCode, stderr.text]).toEqual([125, expect.stringContaining(say)]);
      const cleaned = [process.execPath, bin, 'pairing', ...args].join(' ');
      const forgetful = ['env', '-u', 'CAISSON_EXEC', '-u', 'CAISSON_SANDBOX', 'sh', '-c', cleaned] as const;
      expect((await gateway.run({ taskId: 'build', command: forgetful })).stderr.text).toContain(say);
    }
    expect(await pairing('approve', 'telegram', code)).toMatchObject({ exitCode: 0 });
  });
});
