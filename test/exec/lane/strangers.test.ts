import { describe, expect, it } from 'vitest';
import type { SandboxProcess } from '../../../src/backend.ts';
import { Strangers, strangersAmong } from '../../../src/exec/lane/strangers.ts';

const process = (pid: number, parent: number, session: number): SandboxProcess => ({ pid, parent, session });
const first = process(1, 0, 1);

describe('strangers among the processes of a sandbox', () => {
  it.each<[string, SandboxProcess[], number[]]>([
    ['the first process and the lane it keeps', [first, process(7, 1, 1), process(9, 7, 9)], []],
    ['a lane with the child that stands ready', [first, process(28, 0, 28), process(30, 28, 30)], []],
    ['a process that was left behind', [first, process(44, 1, 44)], [44]],
    ['its children', [first, process(44, 1, 44), process(45, 44, 44)], [44, 45]],
    ['a process started from outside', [first, process(50, 0, 50)], [50]],
  ])('%s', (_, processes, strangers) => {
    expect(strangersAmong(processes, new Set([28]))).toEqual(strangers);
  });

  it('gives what is just ending time, once for each process', async () => {
    let looks = 0;
    let left = [process(44, 1, 44)];
    const strangers = new Strangers({ list: async () => await Promise.resolve((looks++, left)) });
    const live = async () => await strangers.live(() => new Set());
    expect([await live(), looks]).toEqual([true, 4]);
    expect([await live(), looks]).toEqual([true, 5]);
    left = [];
    expect([await live(), looks]).toEqual([false, 6]);
  });

  it('are unknown where processes cannot be seen', async () => {
    expect(await new Strangers({ list: async () => await Promise.resolve(null) }).live(() => new Set())).toBe(null);
  });
});
