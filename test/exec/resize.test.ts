import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { inTurn } from '../../src/exec/resize.ts';

describe('sizes of a terminal', () => {
  it('reach a place that answers the first request last in the order of their calls', async () => {
    const set: string[] = [];
    let delayMs = 40;
    const resize = inTurn(async (columns, rows) => {
      await sleep((delayMs -= 15));
      set.push(`${columns}x${rows}`);
    });
    const first = resize(80, 24);
    await sleep(0);
    await Promise.all([first, resize(63, 31), resize(63, 17)]);
    expect(set).toEqual(['80x24', '63x17']);
  });

  it('wait one at a time, however many are asked for, and a failure keeps none from the next', async () => {
    const set: number[] = [];
    const resize = inTurn(async (columns) => {
      await sleep(1);
      set.push(columns);
      if (columns === 1) throw new Error('the engine is busy');
    });
    const first = resize(1, 1);
    await sleep(0);
    const others = Array.from({ length: 1000 }, (_, index) => resize(index + 2, 1));
    await expect(first).rejects.toThrow('busy');
    await Promise.all(others);
    expect(set).toEqual([1, 1001]);
  });
});
