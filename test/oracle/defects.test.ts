/** A suite that finds nothing shows nothing: Caisson is run with defects that are known. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Case, commandOf, readCases } from './case.ts';
import { compare } from './compare.ts';
import { defects } from './defects/all.ts';
import type { Damage, Defect } from './defects/defect.ts';
import type { OraclePlace } from './place.ts';
import { local } from './places/local.ts';

const byCommand = new Map(readCases().map((each) => [commandOf(each.line), each]));
const none: Damage = (sound) => sound;
let damage: Damage = none;
let place: OraclePlace;

beforeAll(async () => {
  place = await local.open((sound) => damage(sound));
}, 120_000);
afterAll(() => place[Symbol.asyncDispose](), 120_000);

function casesOf({ found }: Pick<Defect, 'found'>): readonly Case[] {
  return found.map((command) => byCommand.get(command) ?? failed(command));
}

function failed(command: string): never {
  throw new Error(`there is no command ${command}`);
}

/** Commands that do not differ. */
async function missed(found: Pick<Defect, 'found' | 'path'>, planted: Damage): Promise<readonly string[]> {
  const cases = casesOf(found);
  damage = planted;
  const compared = await compare(
    place,
    cases.map((each) => ({ case: each, path: found.path })),
  );
  damage = none;
  expect(compared.ran).toBe(cases.length);
  const seen = new Set(compared.found.map((each) => each.case.id));
  return cases.filter(({ id }) => !seen.has(id)).map(({ line }) => commandOf(line));
}

test.each(defects)('the oracle finds that $about', { timeout: 120_000 }, async (defect) => {
  expect(await missed(defect, defect.damage)).toEqual([]);
});

test.each([...Map.groupBy(defects, ({ path }) => path)])(
  'by the same commands it finds nothing where there is no defect: %s',
  { timeout: 120_000 },
  async (path, each) => {
    const found = [...new Set(each.flatMap((defect) => defect.found))];
    expect(await missed({ found, path }, none)).toEqual(found);
  },
);
