/**
 * What grows with the number of execs on record. `node scripts/load.ts records` takes 10,000, 100,000 and 1,000,000 of them; the table
 * of docs/operating.md is its outcome.
 */
import { expect, it } from 'vitest';
import { report } from '../../counts.ts';
import { GrownHome } from './home.ts';
import { OpenedJournal } from './opened.ts';

const load = process.env['CAISSON_LOAD_RECORDS'];
const counts = (load ?? '10000,50000').split(',').map(Number);
const rounds = load === undefined ? 2 : 5;

type Costs = Readonly<Record<string, number>>;

/** The least of each, as others use the processor too. */
function least(all: readonly Costs[]): Costs {
  const names = Object.keys(all[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, Math.min(...all.map((each) => each[name] ?? Infinity))]));
}

/** In turn, so that a busy moment of the machine is one for all. */
async function inTurn<T>(places: readonly T[], times: number, costsOf: (place: T) => Promise<Costs>) {
  const costs = places.map((): Costs[] => []);
  for (let at = 0; at < times; at++)
    for (const [index, place] of places.entries()) costs[index]?.push(await costsOf(place));
  return costs.map(least);
}

/** What costs more with the most records than with the fewest. */
function grownBeyond(costs: readonly Costs[], bound: (few: number) => number): readonly string[] {
  const many = costs.at(-1) ?? {};
  return Object.entries(costs[0] ?? {}).flatMap(([what, few]) => ((many[what] ?? 0) < bound(few) ? [] : [what]));
}

it(
  'execs on record cost lists, looks and starts nothing',
  { timeout: load === undefined ? 120_000 : 3_600_000 },
  async () => {
    await using homes = new AsyncDisposableStack();
    const grown: GrownHome[] = [];
    for (const count of counts) grown.push(homes.use(await GrownHome.with(count)));
    await using journals = new AsyncDisposableStack();
    const opened: OpenedJournal[] = [];
    for (const home of grown) opened.push(journals.use(await OpenedJournal.in(home.path)));
    const calls = await inTurn(opened, 15, async (journal) => await journal.costs());
    await journals.disposeAsync();
    const starts = await inTurn(grown, rounds, async (home) => await home.costs());
    const deaths = await inTurn(grown, 1, async (home) => ({
      'service after a death': await home.serviceAfterDeath(),
    }));
    for (const [at, records] of counts.entries()) report({ records, ...calls[at], ...starts[at], ...deaths[at] });
    // Some microseconds are less than such a clock tells apart; two runs of one program differ by some tens of milliseconds, and by
    // a third beside other tests.
    expect(grownBeyond(calls, (few) => 1.5 * few + 0.02)).toEqual([]);
    expect(grownBeyond(starts, (few) => (load === undefined ? 1.5 : 1.2) * few + 50)).toEqual([]);
  },
);
