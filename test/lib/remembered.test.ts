import { expect, it } from 'vitest';
import { remembered } from '../../src/lib/remembered.ts';

it('what was remembered is made once, also for callers at the same time', async () => {
  let made = 0;
  const value = remembered(async () => await Promise.resolve((made += 1)));
  expect(await Promise.all([value(), value()])).toEqual([1, 1]);
  expect(await value()).toBe(1);
  value.forget();
  expect(await value()).toBe(2);
});

it('a failure is forgotten, and the next caller tries again', async () => {
  let tries = 0;
  const value = remembered(async () => {
    tries += 1;
    if (tries === 1) throw new Error('EMFILE');
    return await Promise.resolve(tries);
  });
  const both = await Promise.allSettled([value(), value()]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(value.current()).toBeNull();
  expect(await value()).toBe(2);
});

it('a failure that comes late does not take away what was made since', async () => {
  const first = Promise.withResolvers<number>();
  const works = [first.promise, Promise.resolve(2)];
  const value = remembered(async () => await (works.shift() ?? Promise.resolve(3)));
  const failing = value();
  value.forget();
  expect(await value()).toBe(2);
  first.reject(new Error('late'));
  await expect(failing).rejects.toThrow('late');
  expect(await value()).toBe(2);
});
