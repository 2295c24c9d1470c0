/** A suite that finds nothing shows nothing: Caisson is run with defects that are known. */
import { expect, test } from 'vitest';
import { type Case, readCases } from './case.ts';
import { compare } from './compare.ts';
import { defects } from './defects/all.ts';
import type { Defect } from './defects/defect.ts';
import { local } from './places/local.ts';

const byLine = new Map(readCases().map((each) => [each.line.replace(/( @\S+)+$/, ''), each]));

function casesOf({ found }: Pick<Defect, 'found'>): readonly Case[] {
  return found.map((line) => byLine.get(line) ?? failed(line));
}

function failed(line: string): never {
  throw new Error(`there is no command ${line}`);
}

async function missed(found: Pick<Defect, 'found' | 'path'>, damage?: Defect['damage']): Promise<readonly string[]> {
  const place = await local.open(damage);
  try {
    const cases = casesOf(found);
    const compared = await compare(
      place,
      cases.map((each) => ({ case: each, path: found.path })),
    );
    expect(compared.ran).toBe(cases.length);
    const seen = new Set(compared.found.map((each) => each.case.id));
    return cases.filter(({ id }) => !seen.has(id)).map(({ line }) => line);
  } finally {
    await place[Symbol.asyncDispose]();
  }
}

test.each(defects)('the oracle finds that $about', { timeout: 120_000 }, async (defect) => {
  expect(await missed(defect, defect.damage)).toEqual([]);
});

test.each([...Map.groupBy(defects, ({ path }) => path)])(
  'the oracle finds nothing by these commands without a defect: %s',
  { timeout: 120_000 },
  async (path, each) => {
    const found = [...new Set(each.flatMap((defect) => defect.found))];
    expect(await missed({ found, path })).toEqual(found);
  },
);
