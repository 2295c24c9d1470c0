import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { Gate } from '../../src/sandbox/gate.ts';

const alice = { owner: 'alice' };
const bob = { owner: 'bob' };
const operator = { owner: 'operator' };

describe('the gate', () => {
  it('lets no more than its number through at once to one place, in the order of asking', async () => {
    const gate = new Gate(3);
    let [inside, max] = [0, 0];
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        gate.pass(
          'docker',
          async () => {
            order.push(index);
            max = Math.max(max, (inside += 1));
            await sleep(2);
            inside -= 1;
          },
          operator,
        ),
      ),
    );
    expect(max).toBe(3);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it('does not let one place wait for another', async () => {
    const gate = new Gate(1);
    const held = Promise.withResolvers<undefined>();
    const first = gate.pass('docker', () => held.promise, alice);
    await gate.pass('local', () => Promise.resolve(), alice);
    held.resolve(undefined);
    await first;
  });

  it('turns away who gave up waiting, without doing the work', async () => {
    const gate = new Gate(1);
    const held = Promise.withResolvers<undefined>();
    const first = gate.pass('docker', () => held.promise, alice);
    const impatient = new AbortController();
    let ran = false;
    const second = gate.pass('docker', async () => void (ran = true), {
      ...alice,
      signal: impatient.signal,
    });
    impatient.abort();
    await expect(second).rejects.toThrow(/abort/i);
    held.resolve(undefined);
    await first;
    expect(ran).toBe(false);
  });

  it('lets removals wait for callers, but not for ever', async () => {
    vi.useFakeTimers();
    try {
      const gate = new Gate(1);
      const held = Promise.withResolvers<undefined>();
      const order: string[] = [];
      const work = (name: string) => async () => void order.push(name);
      const first = gate.pass('docker', () => held.promise, alice);
      const early = gate.passLast('docker', work('early removal'));
      const caller = gate.pass('docker', work('caller'), alice);
      await vi.advanceTimersByTimeAsync(11_000);
      const late = gate.passLast('docker', work('late removal'));
      const next = gate.pass('docker', work('next caller'), alice);
      held.resolve(undefined);
      await Promise.all([first, early, caller, late, next]);
      expect(order).toEqual(['early removal', 'caller', 'next caller', 'late removal']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('takes owners in turn, however many creations of one of them wait', async () => {
    const gate = new Gate(2);
    const held = Promise.withResolvers<undefined>();
    const order: string[] = [];
    const work = (name: string) => async () => void order.push(name);
    const first = gate.pass('docker', () => held.promise, alice);
    const flood = Array.from({ length: 50 }, (_, index) => gate.pass('docker', work(`alice ${index}`), alice));
    const others = [0, 1].map((index) => gate.pass('docker', work(`bob ${index}`), bob));
    held.resolve(undefined);
    await Promise.all([first, ...flood, ...others]);
    expect(order.slice(0, 4).filter((name) => name.startsWith('bob'))).toEqual(['bob 0', 'bob 1']);
  });

  it('leaves a turn for others while one owner makes all that it may, and lets the operator have all of them', async () => {
    const gate = new Gate(3);
    const held = Promise.withResolvers<undefined>();
    const slow = Array.from({ length: 5 }, () => gate.pass('docker', () => held.promise, alice));
    await gate.pass('docker', () => Promise.resolve(), bob);
    expect(gate.figures()).toEqual([{ backend: 'docker', running: 2, waiting: 3 }]);
    const own = Array.from({ length: 3 }, () => gate.pass('local', () => held.promise, operator));
    expect(gate.figures()[1]).toEqual({ backend: 'local', running: 3, waiting: 0 });
    held.resolve(undefined);
    await Promise.all([...slow, ...own]);
  });
});
