import { expect, it } from 'vitest';
import { endWithMemory } from '../../../src/exec/lane/ended.ts';

/** A place that reports a kill only when it is asked. */
function asked() {
  let kills = 0;
  let looks = 0;
  return {
    looks: () => looks,
    kills: () => kills,
    look: async () => {
      looks += 1;
      kills = 1;
    },
  };
}

it.each([
  [137, 1, true],
  [0, 0, false],
  [1, 0, false],
])('of status %s the place is asked %s times', async (exitCode, looks, outOfMemory) => {
  const memory = asked();
  expect(await endWithMemory({ exitCode, opening: '+' }, { memory, killsBefore: 0 })).toMatchObject({
    exitCode,
    outOfMemory,
  });
  expect(memory.looks()).toBe(looks);
});
