/** Checks of commands that take long: others are served meanwhile. */
import { expect, it } from 'vitest';
import { openWorld } from './world.ts';

const doubling = 'eval "$a $a"; a="$a $a";'.repeat(40);

it('texts that take the reader long leave the service most of its time', { timeout: 90_000 }, async () => {
  await using world = await openWorld();
  const commands = Array.from({ length: 2 }, (_, at) => `a=x${at};${doubling}`);
  const body = { commands, backend: 'local' };
  const before = process.cpuUsage();
  const started = performance.now();
  const all = await Promise.all(Array.from({ length: 2 }, () => world.ask('/v1/policy/check', { body })));
  const elapsedMs = performance.now() - started;
  const { user } = process.cpuUsage(before);
  expect(all.map(({ status }) => status)).toEqual([200, 200]);
  const { decisions } = Object(await all[0]?.json());
  expect(decisions).toHaveLength(2);
  // Each of them takes a tenth of a second of processor time, and nine of the clock.
  expect(elapsedMs).toBeGreaterThan(2 * (user / 1000));
});

it('many short commands are checked at once', async () => {
  await using world = await openWorld();
  const started = performance.now();
  const body = { commands: Array.from({ length: 1000 }, () => 'ls -l') };
  const answer = await world.ask('/v1/policy/check', { body });
  expect(Object(await answer.json()).decisions).toHaveLength(1000);
  expect(performance.now() - started).toBeLessThan(5000);
});
