/** The part of the oracle that a check has time for: some commands of every group on this host, without a state directory. */
import { expect, it } from 'vitest';
import { readCases } from './case.ts';
import { compare } from './compare.ts';
import { light } from './light.ts';
import { chosen, randomOf, seedOfRun } from './random.ts';
import { reportOf } from './report.ts';

const seed = seedOfRun();
console.log(`oracle: some of every group, seed ${seed}`);
const ofEachGroup = 2;
/** Programs that start slowly, or wait. */
const isSlow = /\b(?:sleep|npm|node|gdb|gcc|strace|timeout|watch)\b/;
/** The streams of a child of Node are sockets, which cannot be opened by a path. */
const opensStreams = /\/dev\/(?:std(?:in|out|err)|fd)|\/fd\//;

it('commands of every group give what bash gives', { timeout: 60_000 }, async () => {
  const random = randomOf(seed);
  const able = readCases().filter(
    ({ line, stdin, accepted }) =>
      !isSlow.test(line) && !opensStreams.test(line) && stdin === null && accepted === null,
  );
  const groups = [...Map.groupBy(able, ({ group }) => group).values()];
  const pairings = groups.flatMap((group) =>
    chosen(group, ofEachGroup, random).flatMap((each) => [
      { case: each, path: 'direct' as const },
      { case: each, path: 'lane' as const },
    ]),
  );
  const place = await light.open();
  try {
    const compared = await compare(place, pairings);
    expect(compared.ran).toBeGreaterThan(40);
    expect(reportOf(compared)).toBe('');
  } finally {
    await place[Symbol.asyncDispose]();
  }
});
