/** Several processes on one state directory, and some that are killed in the middle of it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { start } from '../cli/process.ts';
import { codeFor, direct, facts, world } from './world.ts';

const program = fileURLToPath(new URL('access.process.ts', import.meta.url));
const patience = { timeout: 60_000 };

describe('several processes', () => {
  it('that approve the same code at once: one of them does, and the others are wrong', patience, async () => {
    const { home, access, audit, clock, file } = await world();
    clock.nowMs = Date.now();
    const code = await codeFor(access, direct('42'));
    const all = Array.from({ length: 4 }, () => start(process.execPath, [program, home, 'approve', code]));
    await Promise.all(all.map(async ({ wrote }) => await wrote('ready')));
    for (const { child } of all) child.stdin?.end('go\n');
    const ended = await Promise.all(all.map(async (each) => await each.ended));
    const outcomes = ended.map(({ stdout }) => stdout.split('\n')[1]);
    expect(outcomes.toSorted((a = '', b = '') => a.localeCompare(b))).toEqual([
      'granted',
      'not_found',
      'not_found',
      'not_found',
    ]);
    expect(JSON.parse(readFileSync(file('_rate_limits.json'), 'utf8'))).toMatchObject({
      attempts: [{ platform: 'telegram', failed: 3, lockedUntil: 0 }],
    });
    expect((await facts(audit)).map(({ what }) => what)).toEqual(['granted']);
    expect((await access.list()).paired.map(({ ids }) => ids)).toEqual([['42']]);
  });

  it('that are killed leave whole files, and no user in who is not on record', patience, async () => {
    const { home, access, audit, clock } = await world();
    let letIn = 0;
    for (let round = 0; round < 6; round += 1) {
      const { child, ended, wrote } = start(process.execPath, [program, home, 'churn']);
      await wrote('ready');
      await new Promise((resolve) => setTimeout(resolve, 40 + 35 * round));
      child.kill('SIGKILL');
      letIn += (await ended).stdout.split('\n').length - 2;
      clock.nowMs = Date.now();
      const { paired } = await access.list();
      const granted = (await facts(audit)).filter(({ what }) => what === 'granted').map(({ user }) => user);
      for (const { ids } of paired) expect(granted).toContainEqual(ids);
      // Whatever the dead one held is free again.
      await access.clearPending();
      for (const { ids } of paired) await access.revoke('telegram', ids[0] ?? '', 'me');
    }
    expect(letIn).toBeGreaterThan(0);
    expect((await audit.verify()).intact).toBe(true);
  });
});
