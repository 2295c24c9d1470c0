/** Pairing from the request to the revocation: its limits, and its records. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Access } from '../../src/access/open.ts';
import { codeFor, direct, facts, hour, minute, world } from './world.ts';

const wrong = 'AAAAAAAA';
const heard = { what: 'heard', rule: 'paired', answer: 'here' };
const silent = (why: string) => ({ what: 'ignored', why });

async function failTimes(access: Access, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) await access.approve('telegram', wrong, 'me').catch(() => undefined);
}

describe('a code', () => {
  it('lets its stranger talk from then on, in every process, and no other', async () => {
    const { access, another } = await world();
    const code = await codeFor(access, direct('42', { from: { ids: ['42', 'lid:9'], name: 'Ada\u202e\u001b[2J' } }));
    const other = await another();
    expect(await other.approve('telegram', ` ${code.toLowerCase()} `, 'me')).toMatchObject({
      platform: 'telegram',
      ids: ['42', 'lid:9'],
      name: 'Ada[2J',
      by: 'me',
    });
    for (const id of ['42', 'lid:9']) {
      expect(await access.message(direct(id))).toEqual(heard);
      expect(await other.message(direct(id))).toEqual(heard);
      expect(await access.message(direct(id, { platform: 'signal' }))).toMatchObject({ what: 'pair' });
    }
    expect(await access.message(direct('43'))).toMatchObject({ what: 'pair' });
  });

  it('is enough, though there is a list without its user', async () => {
    const config = 'unauthorized_dm_behavior: pair\n';
    const { access } = await world(config, 'TELEGRAM_ALLOWED_USERS=1\nGATEWAY_ALLOWED_USERS=2\n');
    await access.approve('telegram', await codeFor(access, direct('42')), 'me');
    expect(await access.message(direct('42'))).toEqual(heard);
  });

  it('is used up by its approval', async () => {
    const { access } = await world();
    const code = await codeFor(access, direct('42'));
    await access.approve('telegram', code, 'me');
    await access.revoke('telegram', '42', 'me');
    await expect(access.approve('telegram', code, 'me')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('counts on its own platform only', async () => {
    const { access } = await world();
    const code = await codeFor(access, direct('42'));
    await expect(access.approve('signal', code, 'me')).rejects.toMatchObject({ code: 'not_found' });
    await access.approve('telegram', code, 'me');
  });

  it.each([
    [hour - 1, true],
    [hour, false],
    [-hour, false],
  ])('after %d ms counts: %s', async (later, counts) => {
    const { access, clock } = await world();
    const code = await codeFor(access, direct('42'));
    clock.nowMs += later;
    const approved = access.approve('telegram', code, 'me').then(
      () => true,
      () => false,
    );
    expect(await approved).toBe(counts);
  });

  it('is kept nowhere, and reported only to its stranger', async () => {
    const { access, audit, everything } = await world();
    const [used, open] = [await codeFor(access, direct('42')), await codeFor(access, direct('43'))];
    const reported: unknown[] = [await access.list(), await access.approve('telegram', used, 'me')];
    for (const typed of [used, `${open}A`]) reported.push(await access.approve('telegram', typed, 'me').catch(String));
    reported.push(await access.revoke('telegram', '42', 'me'), await facts(audit));
    for (const code of [used, open]) {
      expect(JSON.stringify(reported)).not.toContain(code);
      expect(everything()).not.toContain(code);
    }
    expect(everything()).toContain('"hash"');
  });
});

describe('strangers', () => {
  it('get one code in ten minutes, whichever of their ids they use', async () => {
    const { access, clock } = await world();
    await codeFor(access, direct('42', { from: { ids: ['42', 'lid:9'] } }));
    for (const id of ['42', 'lid:9']) expect(await access.message(direct(id))).toEqual(silent('asked-lately'));
    clock.nowMs += 10 * minute - 1;
    expect(await access.message(direct('42'))).toEqual(silent('asked-lately'));
    clock.nowMs += 1;
    await codeFor(access, direct('42'));
  });

  it('have one request each: the newest counts, the older does not', async () => {
    const { access, clock } = await world();
    const older = await codeFor(access, direct('42'));
    clock.nowMs += 10 * minute;
    const newer = await codeFor(access, direct('42'));
    expect((await access.list()).pending).toHaveLength(1);
    await expect(access.approve('telegram', older, 'me')).rejects.toMatchObject({ code: 'not_found' });
    await access.approve('telegram', newer, 'me');
  });

  it('are three at most on a platform, until one is answered or an hour is over', async () => {
    const { access, clock } = await world();
    const codes = [];
    for (const id of ['1', '2', '3']) codes.push(await codeFor(access, direct(id)));
    expect(await access.message(direct('4'))).toEqual(silent('too-many-pending'));
    await codeFor(access, direct('4', { platform: 'signal' }));
    await access.approve('telegram', codes[0] ?? '', 'me');
    await codeFor(access, direct('4'));
    expect(await access.message(direct('5'))).toEqual(silent('too-many-pending'));
    clock.nowMs += hour;
    await codeFor(access, direct('5'));
    expect((await access.list()).pending.map(({ ids }) => ids)).toEqual([['5']]);
  });

  it('are three at most however many ask at once, in several processes', async () => {
    const { access, another } = await world();
    const all = [access, await another(), await another()];
    const asked = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => await all[at % 3]?.message(direct(`${at}`))),
    );
    expect(asked.filter((each) => each?.what === 'pair')).toHaveLength(3);
    expect((await access.list()).pending).toHaveLength(3);
  });

  it('are forgotten by clear-pending, and wait their ten minutes all the same', async () => {
    const { access, clock } = await world();
    const code = await codeFor(access, direct('42'));
    await codeFor(access, direct('42', { platform: 'signal' }));
    expect(await access.clearPending('telegram')).toBe(1);
    expect((await access.list()).pending.map(({ platform }) => platform)).toEqual(['signal']);
    expect(await access.clearPending()).toBe(1);
    expect(await access.clearPending()).toBe(0);
    await expect(access.approve('telegram', code, 'me')).rejects.toMatchObject({ code: 'not_found' });
    expect(await access.message(direct('42'))).toEqual(silent('asked-lately'));
    clock.nowMs += 10 * minute;
    await codeFor(access, direct('42'));
  });
});

describe('after five wrong codes', () => {
  it('not even the right one counts for an hour, in any process, and then it does', async () => {
    const { access, audit, another, clock } = await world();
    const early = await codeFor(access, direct('42'));
    await failTimes(access, 4);
    await expect((await another()).approve('telegram', wrong, 'me')).rejects.toMatchObject({
      code: 'resource_exhausted',
      details: { platform: 'telegram', until: '2026-01-01T13:00:00.000Z' },
    });
    const locked = { code: 'resource_exhausted', remedy: 'nothing is approved there until 2026-01-01T13:00:00.000Z' };
    await expect(access.approve('telegram', early, 'me')).rejects.toMatchObject(locked);
    clock.nowMs += hour - 1;
    await expect(access.approve('telegram', early, 'me')).rejects.toMatchObject(locked);
    expect(await access.message(direct('43'))).toEqual(silent('locked-out'));
    expect((await access.list()).lockedOut).toEqual([{ platform: 'telegram', until: '2026-01-01T13:00:00.000Z' }]);
    clock.nowMs += 1;
    expect((await access.list()).lockedOut).toEqual([]);
    await access.approve('telegram', await codeFor(access, direct('43')), 'me');
    expect(await facts(audit)).toMatchObject([
      { what: 'locked-out', platform: 'telegram', until: '2026-01-01T13:00:00.000Z' },
      { what: 'granted', platform: 'telegram', user: ['43'], by: 'me' },
    ]);
  });

  it('the next five begin anew, and other platforms go on', async () => {
    const { access, clock } = await world();
    await failTimes(access, 5);
    await access.approve('signal', await codeFor(access, direct('42', { platform: 'signal' })), 'me');
    clock.nowMs += hour;
    await failTimes(access, 4);
    await access.approve('telegram', await codeFor(access, direct('42')), 'me');
  });

  it('a right one in between begins the count anew', async () => {
    const { access } = await world();
    await failTimes(access, 4);
    await access.approve('telegram', await codeFor(access, direct('1')), 'me');
    await failTimes(access, 4);
    await access.approve('telegram', await codeFor(access, direct('2')), 'me');
  });

  it('the refusal before tells how many are left', async () => {
    const { access } = await world();
    await failTimes(access, 3);
    await expect(access.approve('telegram', wrong, 'me')).rejects.toMatchObject({ details: { attemptsLeft: 1 } });
  });
});

describe('a revocation', () => {
  it('ends all that was known of the person, at once and in every process', async () => {
    const { access, audit, another, clock } = await world();
    const other = await another();
    await access.approve('telegram', await codeFor(access, direct('42', { from: { ids: ['42', 'lid:9'] } })), 'me');
    await access.approve('telegram', await codeFor(access, direct('7')), 'me');
    clock.nowMs += hour;
    await codeFor(access, direct('lid:10', { from: { ids: ['lid:10', 'x'] } }));
    expect(await other.revoke('telegram', 'lid:9', 'me')).toMatchObject({
      user: { ids: ['42', 'lid:9'] },
      still: 'none',
    });
    for (const id of ['42', 'lid:9'])
      expect(await access.message(direct(id, { channel: { id: 'c' }, addressed: 'mention' }))).toEqual(
        silent('not-allowed'),
      );
    expect(await access.message(direct('7'))).toEqual(heard);
    expect((await access.list()).pending).toHaveLength(1);
    await expect(access.revoke('telegram', '42', 'me')).rejects.toMatchObject({ code: 'not_found' });
    expect((await facts(audit)).at(-1)).toMatchObject({
      what: 'revoked',
      platform: 'telegram',
      user: ['42', 'lid:9'],
      by: 'me',
    });
  });

  it('takes back a request of the same person that came in while it was approved', async () => {
    const { access, file } = await world();
    const code = await codeFor(access, direct('42'));
    const waiting = readFileSync(file('telegram-pending.json'));
    await access.approve('telegram', code, 'me');
    writeFileSync(file('telegram-pending.json'), waiting);
    await access.revoke('telegram', '42', 'me');
    await expect(access.approve('telegram', code, 'me')).rejects.toMatchObject({ code: 'not_found' });
    expect(await access.message(direct('42'))).toEqual(silent('asked-lately'));
  });

  it('tells what lets the person in all the same', async () => {
    const { access, another } = await world();
    await access.approve('telegram', await codeFor(access, direct('42')), 'me');
    const listed = await another({ TELEGRAM_ALLOWED_USERS: '42' });
    expect(await listed.revoke('telegram', '42', 'me')).toMatchObject({ still: 'platform-allowlist' });
    expect(await listed.message(direct('42'))).toMatchObject({ what: 'heard', rule: 'platform-allowlist' });
  });
});
