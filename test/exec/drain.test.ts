import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Budget } from '../../src/exec/budget.ts';
import { drain } from '../../src/exec/drain.ts';
import { Tap } from '../../src/exec/tap.ts';

function tapOf(source: PassThrough): Tap {
  return new Tap(source, { name: 'stdout', budget: new Budget(null, () => {}), record: null, redact: null });
}

it('a stream that is quiet is given up soon, unless nobody is left who could hold it', async () => {
  const ended = async (allGone: boolean): Promise<boolean> => {
    const source = new PassThrough();
    const tap = tapOf(source);
    tap.drain();
    const drained = drain([tap], { allGone });
    void sleep(500).then(() => source.end());
    await drained;
    return tap.ended;
  };
  expect(await Promise.all([ended(false), ended(true)])).toEqual([false, true]);
});

it('even then nobody waits for ever', async () => {
  const from = performance.now();
  await drain([tapOf(new PassThrough())], { allGone: true });
  expect(performance.now() - from).toBeGreaterThan(900);
  expect(performance.now() - from).toBeLessThan(3000);
});
