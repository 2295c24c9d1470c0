/** The log of refusals: what an operator finds in it, and what it never holds. */
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeFor, direct, world } from './world.ts';

const fileOf = (home: string): string => join(home, 'logs', 'access.log');
const textOf = (home: string): string => readFileSync(fileOf(home), 'utf8');
const linesOf = (home: string): unknown[] =>
  textOf(home)
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

describe('the log of refusals', () => {
  it('has a line for each stranger and each wrong code, with who and why, and never a code', async () => {
    const { home, access } = await world('', 'SLACK_ALLOWED_USERS=1\n');
    const code = await codeFor(access, direct('42', { from: { ids: ['42', 'lid:9'], name: 'Eve' } }));
    await access.message(direct('42'));
    await access.message(direct('7', { platform: 'slack', channel: { id: 'C1' }, addressed: 'mention' }));
    await access.approve('telegram', 'AAAAAAAA', 'ada on a terminal').catch(() => undefined);
    const at = '2026-01-01T12:00:00.000Z';
    expect(linesOf(home)).toEqual([
      { at, what: 'message', why: 'not-paired', platform: 'telegram', user: ['42', 'lid:9'], name: 'Eve' },
      { at, what: 'message', why: 'asked-lately', platform: 'telegram', user: ['42'] },
      { at, what: 'message', why: 'not-allowed', platform: 'slack', user: ['7'], channel: 'C1' },
      { at, what: 'approve', platform: 'telegram', by: 'ada on a terminal', why: 'wrong-code' },
    ]);
    expect(textOf(home)).not.toContain(code);
    expect(textOf(home)).not.toContain('AAAAAAAA');
    expect([statSync(fileOf(home)).mode & 0o777, statSync(join(home, 'logs')).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it('has none for those who are heard, nor for what was not said to the agent', async () => {
    const { home, access } = await world('', 'TELEGRAM_ALLOWED_USERS=1\n');
    await access.message(direct('1'));
    await access.message(direct('2', { channel: { id: 'C1' } }));
    expect(() => statSync(fileOf(home))).toThrow('ENOENT');
  });

  it('is one line of ASCII whatever a stranger is called', async () => {
    const { home, access } = await world();
    const id = '1\u202e","what":"heard\u2028\u{1f600}';
    await access.message(direct(id));
    expect(textOf(home)).toMatch(/^[\x20-\x7e]+\n$/);
    expect(linesOf(home)).toMatchObject([{ what: 'message', user: [id] }]);
  });

  it('is bounded: a full file is kept once beside the one that is written', async () => {
    const { home, access } = await world();
    mkdirSync(join(home, 'logs'), { mode: 0o700 });
    writeFileSync(fileOf(home), `${'x'.repeat(1024 ** 2 - 10)}\n`, { mode: 0o644 });
    await access.message(direct('42'));
    expect(statSync(`${fileOf(home)}.1`).size).toBe(1024 ** 2 - 9);
    expect(linesOf(home)).toHaveLength(1);
    expect(statSync(fileOf(home)).mode & 0o777).toBe(0o600);
  });

  it('does not follow a link, and the refusal holds without it', async () => {
    const { home, access } = await world('unauthorized_dm_behavior: ignore\n');
    mkdirSync(join(home, 'logs'), { mode: 0o700 });
    writeFileSync(join(home, 'elsewhere'), 'mine\n');
    symlinkSync(join(home, 'elsewhere'), fileOf(home));
    expect(await access.message(direct('42'))).toEqual({ what: 'ignored', why: 'not-allowed' });
    expect(readFileSync(join(home, 'elsewhere'), 'utf8')).toBe('mine\n');
  });
});

describe('a platform that is misspelt', () => {
  it.each(['approve', 'revoke'] as const)('is noticed by %s, with the nearest name', async (verb) => {
    const { access } = await world();
    await codeFor(access, direct('42', { platform: 'matrix' }));
    await expect(access[verb]('telegarm', '42', 'me')).rejects.toMatchObject({
      code: 'not_found',
      remedy: 'did you mean telegram?',
    });
    await expect(access[verb]('matrx', '42', 'me')).rejects.toMatchObject({ remedy: 'did you mean matrix?' });
    await expect(access.clearPending('telegarm')).rejects.toMatchObject({ code: 'not_found' });
  });
});
