import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { Gate } from '../../src/sandbox/gate.ts';

describe('the gate', () => {
  it('lets no more than its number through at once to one place, in the order of asking', async () => {
    const gate = new Gate(3);
    let [inside, most] = [0, 0];
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        gate.pass('docker', async () => {
          order.push(index);
          most = Math.max(most, (inside += 1));
          await sleep(2);
          inside -= 1;
        }),
      ),
    );
    expect(most).toBe(3);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it('does not let one place wait for another', async () => {
    const gate = new Gate(1);
    const held = Promise.withResolvers<undefined>();
    const first = gate.pass('docker', () => held.promise);
    await gate.pass('local', () => Promise.resolve());
    held.resolve(undefined);
    await first;
  });

  it('turns away who gave up waiting, without doing the work', async () => {
    const gate = new Gate(1);
    const held = Promise.withResolvers<undefined>();
    const first = gate.pass('docker', () => held.promise);
    const impatient = new AbortController();
    let ran = false;
    const second = gate.pass('docker', async () => void (ran = true), impatient.signal);
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
      const first = gate.pass('docker', () => held.promise);
      const early = gate.passLast('docker', work('early removal'));
      const caller = gate.pass('docker', work('caller'));
      await vi.advanceTimersByTimeAsync(11_000);
      const late = gate.passLast('docker', work('late removal'));
      const next = gate.pass('docker', work('next caller'));
      held.resolve(undefined);
      await Promise.all([first, early, caller, late, next]);
      expect(order).toEqual(['early removal', 'caller', 'next caller', 'late removal']);
    } finally {
      vi.useRealTimers();
    }
  });
});
