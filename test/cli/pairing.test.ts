/** `pairing` as it is shown: to people, to scripts, to programs. */
import { describe, expect, it } from 'vitest';
import { cli } from './cli.ts';

const reported = 'caisson: nothing is approved on slack until 2026-01-02T13:00:00.000Z: too many codes were wrong\n';

describe('pairing list', () => {
  it('shows who waits and who is paired, and nothing that acts on a terminal', async () => {
    const { exitCode, stdout, stderr } = await cli(['pairing', 'list']);
    expect(exitCode).toBe(0);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['PLATFORM', 'USER', 'NAME', 'STATE', 'SINCE', 'BY'],
      ['telegram', '42 ada', 'Ada\\x1b[2J', 'waiting', '10 min ago', '-'],
      ['telegram', '7', 'Ada\\x1b[2J', 'paired', '24 h ago', 'me on a terminal'],
      [''],
    ]);
    expect(stderr).toBe(reported);
  });

  it('gives names alone, or all of it, to programs', async () => {
    expect(await cli(['pairing', 'list', '-q'])).toMatchObject({ stdout: 'telegram 42\ntelegram 7\n', stderr: '' });
    const { stdout, stderr } = await cli(['pairing', 'list', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      pending: [{ id: '0123456789abcdef' }],
      paired: [{}],
      lockedOut: [{ platform: 'slack' }],
    });
    expect(stderr).toBe('');
  });
});

describe('pairing revoke', () => {
  it('tells what still lets them in', async () => {
    expect(await cli(['pairing', 'revoke', 'telegram', '7'])).toMatchObject({
      exitCode: 0,
      stdout: 'telegram 7\n',
      stderr: 'caisson: they still may talk, by TELEGRAM_ALLOWED_USERS\n',
    });
    const { stdout } = await cli(['pairing', 'revoke', 'telegram', '-o', 'json', '--', '-7']);
    expect(JSON.parse(stdout)).toMatchObject({ user: { ids: ['7'] }, still: 'platform-allowlist' });
  });
});

it('pairing approve shows who may talk now', async () => {
  expect((await cli(['pairing', 'approve', 'telegram', 'ABC2DEF3', '-q'])).stdout).toBe('telegram 7\n');
  const { stdout } = await cli(['pairing', 'approve', 'telegram', 'ABC2DEF3', '-o', 'json']);
  expect(JSON.parse(stdout)).toMatchObject({ platform: 'telegram', ids: ['7'] });
});

it('pairing clear-pending tells how many it forgot', async () => {
  expect((await cli(['pairing', 'clear-pending'])).stdout).toBe('2 requests forgotten\n');
  expect((await cli(['pairing', 'clear-pending', 'telegram'])).stdout).toBe('1 request forgotten\n');
  expect((await cli(['pairing', 'clear-pending', '-o', 'json'])).stdout).toBe('{"cleared":2}\n');
});
