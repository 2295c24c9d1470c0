import { expect, it } from 'vitest';
import { casesIn } from './case.ts';
import { light } from './light.ts';
import { compareWithin } from './within.ts';

it('compares what there is time for, and says how much is left', { timeout: 60_000 }, async () => {
  const pairings = casesIn('text', 'echo a\nfalse').map((each) => ({ case: each, path: 'direct' as const }));
  const place = await light.open();
  try {
    expect(await compareWithin(place, pairings, 0)).toEqual({ ran: 0, found: [], unsteady: [], left: 2 });
    expect(await compareWithin(place, pairings, Infinity)).toEqual({ ran: 2, found: [], unsteady: [], left: 0 });
  } finally {
    await place[Symbol.asyncDispose]();
  }
});
