import { describe, expect, it } from 'vitest';
import type { SandboxProcess } from '../../../src/backend.ts';
import { type Own, Strangers, strangersAmong } from '../../../src/exec/lane/strangers.ts';

const process = (pid: number, parent: number, session: number, isHalted = false): SandboxProcess => ({
  pid,
  parent,
  session,
  isHalted,
});
const first = process(1, 0, 1);
const none: Own = { lanes: new Set(), children: new Set(), parents: new Set() };
const lane: Own = { ...none, lanes: new Set([28]) };

/** Is read at a kill alone. */
const unread = async (): Promise<null> => await Promise.resolve(null);

describe('strangers among the processes of a sandbox', () => {
  it.each<[string, Own, SandboxProcess[], number[]]>([
    ['the first process and what it waits for', none, [first, process(7, 1, 1)], []],
    ['the first process and the lane it keeps', { ...none, lanes: new Set([7]) }, [first, process(7, 1, 1)], []],
    ['a lane', lane, [first, process(28, 0, 28)], []],
    ['a child of a lane that is not its own (CLONE_PARENT)', lane, [process(28, 0, 28), process(30, 28, 30)], [30]],
    [
      'the child that a lane has reported, and another one',
      { ...lane, children: new Set([30]) },
      [process(28, 0, 28), process(30, 28, 30), process(31, 28, 31)],
      [31],
    ],
    [
      'one child that a lane has not reported yet',
      { ...lane, parents: new Set([28]) },
      [process(28, 0, 28), process(30, 28, 30), process(31, 28, 31)],
      [31],
    ],
    ['a lane that is stopped', lane, [first, process(28, 0, 28, true)], [28]],
    ['the first process, traced', none, [process(1, 0, 1, true)], [1]],
    ['another process in the session of the first', none, [first, process(7, 1, 1), process(8, 1, 1)], [8]],
    ['a child of a lane that is known no more', none, [first, process(7, 1, 1), process(9, 7, 9)], [9]],
    ['a process that was left behind', none, [first, process(44, 1, 44)], [44]],
    ['its children', none, [first, process(44, 1, 44), process(45, 44, 44)], [44, 45]],
    ['a process started from outside', none, [first, process(50, 0, 50)], [50]],
  ])('%s', (_, own, processes, strangers) => {
    expect(strangersAmong(processes, own)).toEqual(strangers);
  });

  it('gives what is just ending time, once for each process', async () => {
    let looks = 0;
    let left = [process(44, 1, 44)];
    const strangers = new Strangers({ list: async () => await Promise.resolve((looks++, left)), details: unread });
    const live = async () => await strangers.live(() => none);
    expect([await live(), looks]).toEqual([true, 4]);
    expect([await live(), looks]).toEqual([true, 5]);
    left = [];
    expect([await live(), looks]).toEqual([false, 6]);
  });

  it('are looked for among those of Caisson where it is done closely', async () => {
    const strangers = new Strangers({
      list: async (known) => await Promise.resolve([process(28, 0, 28, true)].filter(({ pid }) => !known.has(pid))),
      details: unread,
    });
    expect([await strangers.live(() => lane), await strangers.live(() => lane, true)]).toEqual([false, true]);
  });

  it('are named apart where a lane of an earlier Caisson had them stand ready', async () => {
    const strangers = new Strangers({
      list: async () => await Promise.resolve([first, process(7, 1, 1), process(9, 7, 9), process(44, 1, 44)]),
      details: unread,
    });
    expect([await strangers.live(() => none), strangers.left]).toEqual([true, [9]]);
  });

  it('are unknown where processes cannot be seen', async () => {
    expect(
      await new Strangers({ list: async () => await Promise.resolve(null), details: unread }).live(() => none),
    ).toBe(null);
  });
});
