/** What a kill does about processes that its script does not find. Those of the sandbox are as the kernel would list them. */
import { describe, expect, it } from 'vitest';
import type { ProcessDetails } from '../../../src/backend.ts';
import type { KillReport } from '../../../src/exec/kill/report.ts';
import { type Stray, type Strays, straysAmong, withStrays } from '../../../src/exec/kill/strays.ts';

const clean: KillReport = { survivors: [], verified: true, note: null };
const hidden: Stray = { pid: 40, parent: 1, mark: null, name: 'sle\u001bep', isUnsure: false };

/** `unkillable`: how many kills of each process have no effect. */
function world(strays: readonly Stray[], { alone = true, unkillable = 0 } = {}) {
  let alive = strays;
  const killed: number[] = [];
  const offered: Strays = {
    alone,
    look: async () => await Promise.resolve(alive),
    kill: async (pids) => {
      killed.push(...pids);
      if (killed.filter((pid) => pid === pids[0]).length > unkillable)
        alive = alive.filter(({ pid }) => !pids.includes(pid));
      await Promise.resolve();
    },
  };
  return { offered, killed };
}

describe('a process that hides', () => {
  it('is killed where the command was alone', async () => {
    const { offered, killed } = world([hidden]);
    expect(await withStrays(clean, offered)).toEqual(clean);
    expect(killed).toEqual([40]);
  });

  it('is killed again, and is a survivor when that does not help either', async () => {
    const again = world([hidden], { unkillable: 2 });
    expect(await withStrays(clean, again.offered)).toEqual(clean);
    expect(again.killed).toEqual([40, 40, 40]);
    const never = world([hidden], { unkillable: 100 });
    expect(await withStrays(clean, never.offered)).toMatchObject({ survivors: [{ pid: 40, command: 'sle?ep' }] });
  });

  it.each([
    ['a command beside it', [hidden], { alone: false }],
    ['a process of another command', [hidden, { ...hidden, pid: 41, mark: 'exec_other' }], {}],
    ['a process that was started from outside', [hidden, { ...hidden, pid: 41, parent: 0 }], {}],
    ['a process that may be older', [hidden, { ...hidden, pid: 41, isUnsure: true }], {}],
  ])('is not killed with %s, and the survivors are unknown', async (_, strays, how) => {
    const { offered, killed } = world(strays, how);
    const report = await withStrays(clean, offered);
    expect([report.survivors, killed]).toEqual([null, []]);
    expect(report.note).toContain('cannot be distinguished from theirs');
  });

  it('leaves what the script has found as it is', async () => {
    const found: KillReport = { ...clean, survivors: [{ pid: 7, command: 'x' }] };
    const { offered, killed } = world([hidden]);
    expect([await withStrays(found, offered), killed]).toEqual([found, []]);
  });
});

describe('straysAmong', () => {
  const at = (pid: number, startedAtMs: number): ProcessDetails => {
    return { pid, parent: 1, session: pid, isHalted: false, startedAtMs, mark: null, name: 'x' };
  };
  const listed = [at(1, 980), at(2, 990), at(3, 1000), at(4, 1010), at(5, 1020)];

  it('goes by the clock where it is not known what lived before', () => {
    const strays = straysAmong(listed, { sinceMs: 1001, before: null });
    expect(strays.map(({ pid, isUnsure }) => [pid, isUnsure])).toEqual([
      [3, true],
      [4, true],
      [5, false],
    ]);
  });

  it('goes by what lived before where that is known', () => {
    const strays = straysAmong(listed, { sinceMs: 1001, before: new Set([1, 3]) });
    expect(strays.map(({ pid, isUnsure }) => [pid, isUnsure])).toEqual([
      [2, false],
      [4, false],
      [5, false],
    ]);
  });
});
