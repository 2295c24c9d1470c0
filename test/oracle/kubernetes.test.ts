/** A hundred everyday commands in a pod, and by the runtime of its node. `CAISSON_ORACLE_SEED` repeats those of a run. */
import { expect, it } from 'vitest';
import { enginesRequired } from '../engines/places.ts';
import { readCases } from './case.ts';
import { possible } from './compare.ts';
import { canRun, paths } from './path.ts';
import { kubernetes } from './places/kubernetes.ts';
import { chosen, randomOf, seedOfRun } from './random.ts';
import { reportOf } from './report.ts';
import { compareWithin } from './within.ts';

const commands = 100;

it.skipIf(kubernetes.unavailable !== null && !enginesRequired())(
  'give in a pod what the runtime gives without Caisson, but for what is accepted',
  { timeout: 600_000 },
  async () => {
    expect(kubernetes.unavailable).toBeNull();
    const seed = seedOfRun();
    const random = randomOf(seed);
    await using place = await kubernetes.open();
    const able = readCases().filter((each) => possible(place, [{ case: each, path: 'direct' }]).length > 0);
    const pairings = chosen(able, commands, random).flatMap((each) => {
      const [path = 'direct'] = chosen(
        paths.filter((one) => canRun(one, each)),
        1,
        random,
      );
      return [{ case: each, path }];
    });
    const compared = await compareWithin(place, pairings, Infinity);
    console.log(
      `oracle: seed ${seed}, ${compared.ran} comparisons in kubernetes, ${compared.unsteady.length} unsteady`,
    );
    expect(compared.ran).toBe(commands);
    expect(reportOf(compared)).toBe('');
  },
);
