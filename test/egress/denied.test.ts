import { appendFileSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConnectionRecord } from '../../src/egress/door/types.ts';
import { deniedNotes } from '../../src/egress/denied.ts';
import { deniedSince, logConnection } from '../../src/egress/log.ts';
import { filesLeft, logOf, makeDoor, removeDoor } from '../../src/egress/places.ts';

const none = { task: null, asked: new Map<string, string>() };
let home = '';
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'caisson-'));
  await makeDoor(home, 'sbx_1');
});
afterEach(() => rmSync(home, { recursive: true }));

const log = (name: string, patch: Partial<ConnectionRecord> = {}): void =>
  logConnection(home, 'sbx_1', {
    task: 'build',
    name,
    port: 443,
    verdict: 'deny',
    rule: 'no rule',
    reason: 'no rule allows it',
    checked: 'address',
    address: null,
    sentBytes: 0,
    receivedBytes: 0,
    startedAt: Date.now(),
    durationMs: 0,
    ...patch,
  });

describe('connections that were denied while a command ran', () => {
  it('are those of the record that ended since, over a file that was just begun', async () => {
    log('early.example', { startedAt: Date.now() - 60_000 });
    const since = Date.now();
    log('long.example', { startedAt: since - 60_000, durationMs: 61_000 });
    renameSync(logOf(home, 'sbx_1'), `${logOf(home, 'sbx_1')}.1`);
    log('a.example');
    log('allowed.example', { verdict: 'allow' });
    const found = await deniedSince(home, 'sbx_1', since);
    expect(found.map(({ name }) => name)).toEqual(['long.example', 'a.example']);
    expect(await deniedSince(home, 'sbx_2', since)).toEqual([]);
  });

  it('leave no record when they end after their sandbox was removed', async () => {
    log('a.example');
    await removeDoor(home, 'sbx_1');
    log('late.example');
    expect([await filesLeft(home), existsSync(logOf(home, 'sbx_1'))]).toEqual([[], false]);
  });

  it('are read within bounds, past lines that are broken', async () => {
    const since = Date.now();
    for (let each = 0; each < 3000; each += 1) log(`${each}.example`);
    appendFileSync(logOf(home, 'sbx_1'), 'null\n{"verdict":\n');
    const found = await deniedSince(home, 'sbx_1', since);
    expect(found.at(-1)?.name).toBe('2999.example');
    expect(found.length).toBeLessThan(500);
  });

  it('are notes with host, rule and the key that would allow them', () => {
    const denied = (name: string | null, rule: string, port = 443) => ({ name, port, rule });
    expect(
      deniedNotes(
        [
          denied('a.example', 'no rule'),
          denied('a.example', 'no rule'),
          denied('a.example', 'ports', 8443),
          denied('b.c.example', 'deny c.example'),
          denied('10.1.2.3', 'address', 80),
          denied(null, 'request'),
        ],
        none,
      ),
    ).toEqual([
      'the connection to a.example:443 was denied (no rule, 2 times): add a.example to network.allow to allow it',
      'the connection to a.example:8443 was denied (ports): add a.example:8443 to network.allow to allow it',
      'the connection to b.c.example:443 was denied (deny c.example): a rule denies c.example',
      'the connection to 10.1.2.3:80 was denied (it leads to a private or reserved address)',
      'a request was denied (it could not be read)',
    ]);
  });

  it('name the one command that would allow them, or the question that is open', () => {
    const denied = { name: 'a.example', port: 443, rule: 'no rule' };
    expect(deniedNotes([denied], { task: 'build', asked: new Map() })).toEqual([
      'the connection to a.example:443 was denied (no rule): `caisson net allow build a.example` allows it',
    ]);
    expect(deniedNotes([denied], { task: 'build', asked: new Map([['a.example', 'apr_1']]) })).toEqual([
      'the connection to a.example:443 was denied (no rule): `caisson approvals approve apr_1` allows it to the next command',
    ]);
  });

  it('are at most five notes, in printable characters', () => {
    const notes = deniedNotes(
      Array.from({ length: 50 }, (_, at) => ({
        name: `${at}\u001b[2J\n${'x'.repeat(900)}`,
        port: 80,
        rule: 'no rule',
      })),
      none,
    );
    expect(notes).toHaveLength(6);
    expect(notes.at(-1)).toBe('connections to 45 more places were denied');
    expect(notes.join('')).toMatch(/^[\u0020-\u007e]{0,4000}$/);
  });
});
