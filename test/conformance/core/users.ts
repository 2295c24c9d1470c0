import { expect } from 'vitest';
import { collect } from '../../../src/exec/collect.ts';
import { LanedSandbox } from '../../../src/exec/lane/laned.ts';
import { startExec } from '../../../src/exec/start.ts';
import { bare, shell } from '../../exec/requests.ts';
import { sh } from '../command.ts';
import type { Suite } from '../suite.ts';

const user = '4242:4343';
const living = `for f in /proc/[0-9]*/status; do grep -l '^Uid:.*4242' "$f"; done 2>/dev/null; true`;

/** Commands of another user behind core: bounded, killed and complete as those of root. */
export function userCoreCases(suite: Suite): void {
  if (!suite.place.facets.users) return;

  suite.test('users.tree', 'kills a whole tree of another user at its deadline', async (place) => {
    const laned = new LanedSandbox(await place.sandbox(), null);
    const text = "(trap '' TERM; while :; do sleep 0.1; done) & sleep 300";
    const execution = await startExec(laned, shell(text, { user, timeoutMs: 1000 }), bare);
    const { exit } = await collect(execution, { keepBytes: 1000 });
    expect(exit).toMatchObject({ reason: 'timed-out', survivors: [] });
    expect((await sh(laned, living)).stdout.toString()).toBe('');
    laned.close();
  });

  suite.test('users.complete', 'proves that the output of another user is complete', async (place) => {
    const laned = new LanedSandbox(await place.sandbox(), null);
    const request = shell('id -u; head -c 300000 /dev/zero; echo end >&2', { user });
    const { exit, stderr } = await collect(await startExec(laned, request, bare), { keepBytes: 1000 });
    expect([exit.exitCode, exit.stdout, stderr.text]).toEqual([
      0,
      { bytes: 300_005, truncated: true, complete: true },
      'end\n',
    ]);
    laned.close();
  });

  suite.test('users.beside', 'runs commands of root beside and after those of another user', async (place) => {
    const laned = new LanedSandbox(await place.sandbox(), null);
    const run = async (text: string, more: Parameters<typeof shell>[1] = {}): Promise<string> =>
      (await collect(await startExec(laned, shell(text, more), bare), { keepBytes: 1000 })).stdout.text;
    const said = await Promise.all([run('id -u', { user }), run('id -u'), run('id -u', { user })]);
    expect([...said, await run('id -u')]).toEqual(['4242\n', '0\n', '4242\n', '0\n']);
    laned.close();
  });
}
