/**
 * Everyday commands by Caisson and by the engine without it, in every place that this machine has. A run takes the part that its seed
 * names, which it prints: `CAISSON_ORACLE_SEED` repeats it. `node scripts/load.ts oracle` takes all.
 */
import { describe, expect, it } from 'vitest';
import { enginesRequired } from '../engines/places.ts';
import { readCases } from './case.ts';
import { everything, partOf } from './choose.ts';
import type { PlaceSource } from './place.ts';
import { docker } from './places/docker.ts';
import { local } from './places/local.ts';
import { singularity } from './places/singularity.ts';
import { ssh } from './places/ssh.ts';
import { seedOfRun } from './random.ts';
import { reportOf, staleOf } from './report.ts';
import { compareWithin } from './within.ts';

const isWhole = process.env['CAISSON_LOAD_ORACLE'] === '1';
const seed = seedOfRun();
const only = process.env['CAISSON_ORACLE_CASES'];

const sources: readonly PlaceSource[] = [docker, local, ssh, singularity];
/** For the comparisons of all places. To start a place comes beside that: an image is unpacked for Apptainer first. */
const totalMs = 60_000;
const there = sources.filter(({ unavailable }) => unavailable === null).map(({ name }) => name);
const cases = readCases().filter(({ id }) => only === undefined || new RegExp(only).test(id));
const placed = isWhole ? everything(cases, there) : partOf(cases, there, seed);
const placeMs = isWhole ? Infinity : totalMs / there.length;
console.log(`oracle: ${isWhole ? 'everything' : `seed ${seed}`}, ${placed.length} comparisons`);

describe.each(sources)('everyday commands in $name', ({ name, unavailable, open }) => {
  it.skipIf(unavailable !== null && !enginesRequired())(
    'give what the engine gives without Caisson, but for what is accepted',
    { timeout: isWhole ? 7_200_000 : 400_000 },
    async () => {
      expect(unavailable).toBeNull();
      const place = await open();
      const endsAt = performance.now() + placeMs;
      try {
        const here = placed.filter((each) => each.place === name);
        const compared = await compareWithin(place, here, endsAt);
        const { ran, unsteady, left } = compared;
        console.log(`oracle: ${ran} comparisons in ${name}, ${left} left out for time, ${unsteady.length} unsteady`);
        expect(ran).toBeGreaterThan(0);
        const report = reportOf(compared);
        // At once: the next place may take long.
        if (report !== '') console.log(report);
        expect(report).toBe('');
        if (isWhole && only === undefined) expect(staleOf(cases, compared.found)).toEqual([]);
      } finally {
        await place[Symbol.asyncDispose]();
      }
    },
  );
});
