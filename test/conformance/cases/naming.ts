import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { isCode } from '../../../src/errors.ts';
import { run, start } from '../command.ts';
import type { Suite } from '../suite.ts';

/** A name is unique in its place: the second try of one creation finds the first, a stranger is never taken over. */
export function namingCases(suite: Suite): void {
  suite.test(
    'naming.same',
    'returns the resource that a lost answer left behind, instead of a second one',
    async (place) => {
      const options = place.options();
      const first = await place.create({ options });
      const second = await place.create({ options, backend: await place.another() });
      expect(second.ref).toEqual(first.ref);
      const mine = (await place.listed()).filter(({ labels }) => labels.sandbox === options.labels.sandbox);
      expect(mine).toHaveLength(1);
      expect((await run(second, ['true'])).exitCode).toBe(0);
      await place.destroy(first);
    },
  );

  suite.test('naming.race', 'makes one resource when one name is created twice at once', async (place) => {
    const options = place.options();
    const other = await place.another();
    const tries = await Promise.allSettled([place.create({ options }), place.create({ options, backend: other })]);
    const made = tries.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
    expect(made.length).toBeGreaterThan(0);
    expect(new Set(made.map(({ ref }) => JSON.stringify(ref))).size).toBe(1);
    expect((await place.listed()).filter(({ labels }) => labels.sandbox === options.labels.sandbox)).toHaveLength(1);
    await Promise.all(made.map((sandbox) => place.destroy(sandbox)));
  });

  suite.test(
    'naming.conflict',
    'refuses a name that belongs to another sandbox, and leaves that one alone',
    async (place) => {
      const options = place.options();
      const first = await place.create({ options });
      const stranger = place.options({ name: options.name });
      await expect(place.create({ options: stranger })).rejects.toMatchObject({ code: 'conflict' });
      expect((await run(first, ['echo', 'alive'])).stdout.toString()).toBe('alive\n');
      expect((await place.listed()).filter(({ labels }) => labels.sandbox === stranger.labels.sandbox)).toEqual([]);
      await place.destroy(first);
    },
  );

  suite.test(
    'naming.replace',
    'replaces a resource of the same sandbox that was made from another spec',
    async (place) => {
      const options = place.options();
      const old = await place.create({ options });
      const process = await start(old, ['sleep', '300']);
      process.stdout.resume();
      process.stderr.resume();
      const ended = process.wait().then(
        () => true,
        (error: unknown) => isCode(error, 'unavailable'),
      );
      old.init?.release();
      const labels = { ...options.labels, fingerprint: 'f2' };
      const fresh = await place.create({ options: { ...options, labels } });
      const mine = (await place.listed()).filter(({ labels: found }) => found.sandbox === labels.sandbox);
      expect(mine.map(({ labels: found }) => found.fingerprint)).toEqual(['f2']);
      expect(await Promise.race([ended, sleep(10_000, false)])).toBe(true);
      process.release();
      await place.destroy(fresh);
    },
  );
}
