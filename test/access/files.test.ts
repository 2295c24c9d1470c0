/** The files of pairing: whose they are, and what damage does. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeFor, direct, facts, world, type World } from './world.ts';

const heard = { what: 'heard', rule: 'paired', answer: 'here' };

describe('the files', () => {
  it('are for this user alone, and nothing is left beside them', async () => {
    const { access, home, file } = await world();
    await access.approve('telegram', await codeFor(access, direct('42')), 'me');
    await codeFor(access, direct('43'));
    expect(statSync(join(home, 'pairing')).mode & 0o777).toBe(0o700);
    const names = readdirSync(join(home, 'pairing')).sort();
    expect(names).toEqual(['_rate_limits.json', 'telegram-approved.json', 'telegram-pending.json']);
    for (const name of names) expect(statSync(file(name)).mode & 0o777).toBe(0o600);
    const { requests } = JSON.parse(readFileSync(file('telegram-pending.json'), 'utf8')) as { requests: object };
    expect(Object.keys(requests)).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/)]);
  });

  it('are not made by looking', async () => {
    const { access, home } = await world('unauthorized_dm_behavior: ignore\n');
    await access.message(direct('42'));
    expect(await access.list()).toEqual({ pending: [], paired: [], lockedOut: [] });
    expect(await access.clearPending()).toBe(0);
    expect(readdirSync(home)).not.toContain('pairing');
  });

  it('that other users can read are refused', async () => {
    const { access, file } = await world();
    await access.approve('telegram', await codeFor(access, direct('42')), 'me');
    chmodSync(file('telegram-approved.json'), 0o644);
    await expect(access.message(direct('42'))).rejects.toMatchObject({ code: 'failed_precondition' });
  });
});

describe('a damaged file', () => {
  const damages = (text: string): readonly string[] => [
    '',
    '{',
    '[]',
    'null',
    text.slice(0, -10),
    text.replace('"version": 1', '"version": 2'),
    text.replace('{', '{"more": 1,'),
    text.replaceAll(/\d{13}/g, '"soon"'),
    text.replaceAll(/\d{13}/g, '99999999999999999'),
  ];

  async function damaged(name: string): Promise<World & { readonly texts: readonly string[]; readonly code: string }> {
    const made = await world('', 'TELEGRAM_ALLOWED_USERS=\nSIGNAL_ALLOW_ALL_USERS=true\n');
    await made.access.approve('telegram', await codeFor(made.access, direct('42')), 'me');
    const code = await codeFor(made.access, direct('43'));
    return { ...made, code, texts: damages(readFileSync(made.file(name), 'utf8')) };
  }

  const refused = (path: string) => ({ code: 'failed_precondition', details: { path }, remedy: expect.any(String) });

  it('of who is paired pairs no user, and is never written over', async () => {
    const { access, file, texts, code } = await damaged('telegram-approved.json');
    const path = file('telegram-approved.json');
    for (const text of texts) {
      writeFileSync(path, text);
      await expect(access.message(direct('42'))).rejects.toMatchObject(refused(path));
      await expect(access.approve('telegram', code, 'me')).rejects.toMatchObject(refused(path));
      await expect(access.revoke('telegram', '42', 'me')).rejects.toMatchObject(refused(path));
      await expect(access.list()).rejects.toMatchObject(refused(path));
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
    expect(await access.message(direct('42', { platform: 'signal' }))).toMatchObject({ what: 'heard' });
  });

  it('of requests approves none, and hinders no revocation', async () => {
    const { access, audit, file, texts, code } = await damaged('telegram-pending.json');
    const path = file('telegram-pending.json');
    for (const text of texts) {
      writeFileSync(path, text);
      await expect(access.approve('telegram', code, 'me')).rejects.toMatchObject(refused(path));
      await expect(access.message(direct('44'))).rejects.toMatchObject(refused(path));
      await expect(access.clearPending('telegram')).rejects.toMatchObject(refused(path));
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
    expect(await access.message(direct('42'))).toEqual(heard);
    await expect(access.revoke('telegram', '42', 'me')).rejects.toMatchObject(refused(path));
    expect((await facts(audit)).at(-1)).toMatchObject({ what: 'revoked', user: ['42'] });
    writeFileSync(path, '{"version": 1, "requests": {}}');
    expect(await access.message(direct('42'))).toEqual({ what: 'ignored', why: 'asked-lately' });
  });

  it('of limits approves nothing and hands out nothing', async () => {
    const { access, file, texts, code } = await damaged('_rate_limits.json');
    const path = file('_rate_limits.json');
    for (const text of texts) {
      writeFileSync(path, text);
      await expect(access.approve('telegram', code, 'me')).rejects.toMatchObject(refused(path));
      await expect(access.message(direct('45'))).rejects.toMatchObject(refused(path));
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
  });

  it('of an invalid name is no user', async () => {
    const { access, home } = await world();
    mkdirSync(join(home, 'pairing'), { mode: 0o700 });
    for (const name of ['Telegram-approved.json', 'x y-pending.json', 'telegram-approved.json.0123.new', 'notes'])
      writeFileSync(join(home, 'pairing', name), '{', { mode: 0o600 });
    expect((await access.list()).paired).toEqual([]);
  });
});
