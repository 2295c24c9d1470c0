/** Compares one place with itself: commands by its raw engine, and by paths of Caisson. */
import { accepted } from './accepted.ts';
import { runBatch } from './batch.ts';
import type { Case } from './case.ts';
import { type Difference, differences, type Ran } from './outcome.ts';
import { canRun, type Path } from './path.ts';
import type { OraclePlace } from './place.ts';
import { programsIn } from './programs.ts';

/** One command on one path. */
export interface Pairing {
  readonly case: Case;
  readonly path: Path;
}

export interface Comparison extends Pairing {
  readonly place: string;
  readonly differences: readonly Difference[];
  /** An accepted difference that says that it is there. */
  readonly isAccepted: boolean;
}

export interface Compared {
  /** Commands on a path that were run and compared. */
  readonly ran: number;
  readonly found: readonly Comparison[];
  /** Differences that were there once and did not come again, while the engine itself answered alike both times. */
  readonly unsteady: readonly Comparison[];
}

/** Pairings that the place can run. */
export function possible(
  place: Pick<OraclePlace, 'programs' | 'hasTerminals'>,
  pairings: readonly Pairing[],
): readonly Pairing[] {
  return pairings.filter(
    ({ case: each, path }) =>
      canRun(path, each) &&
      (path !== 'terminal' || place.hasTerminals) &&
      programsIn(each.line).every((name) => place.programs.has(name)),
  );
}

export async function compare(place: OraclePlace, pairings: readonly Pairing[]): Promise<Compared> {
  const able = possible(place, pairings);
  const first = await differing(place, able);
  // What differs in every run alike is a fact; what does not is reported as unsteady.
  const again = await differing(place, first.found);
  const isSteady = ({ case: each, path }: Pairing): boolean =>
    differencesOf(each, path, first.raw(each, path), again.raw(each, path)).length === 0;
  const isIn = (all: readonly Comparison[], { case: { id }, path }: Pairing): boolean =>
    all.some((each) => each.case.id === id && each.path === path);
  return {
    ran: able.length,
    found: again.found,
    unsteady: first.found.filter((each) => !isIn(again.found, each) && isSteady(each)),
  };
}

interface Differing {
  readonly found: readonly Comparison[];
  readonly raw: RawRun;
}

async function differing(place: OraclePlace, pairings: readonly Pairing[]): Promise<Differing> {
  const found: Comparison[] = [];
  const raw = await rawRuns(place, pairings);
  for (const [path, group] of Map.groupBy(pairings, (each) => each.path)) {
    const ours = await runBatch(
      place,
      path,
      group.map((each) => each.case),
    );
    for (const { case: each } of group) {
      const apart = differencesOf(each, path, raw(each, path), ours.get(each.id));
      if (apart.length > 0)
        found.push({ case: each, path, place: place.name, differences: apart, isAccepted: isAccepted(each, path) });
    }
  }
  return { found, raw };
}

type RawRun = (each: Case, path: Path) => Ran | undefined;

async function rawRuns(place: OraclePlace, pairings: readonly Pairing[]): Promise<RawRun> {
  const [onTerminal, onPipes] = [true, false].map((is) => {
    const cases = pairings.filter(({ path }) => (path === 'terminal') === is).map((each) => each.case);
    return [...new Set(cases)];
  });
  const pipes = await runBatch(place, 'raw', onPipes ?? []);
  const terminals = await runBatch(place, 'raw terminal', onTerminal ?? []);
  return ({ id }, path) => (path === 'terminal' ? terminals : pipes).get(id);
}

function differencesOf(each: Case, path: Path, raw: Ran | undefined, ours: Ran | undefined): readonly Difference[] {
  if (raw === undefined || ours === undefined) throw new Error(`${each.id} was not run on ${path}`);
  // The answer of a tool is text.
  return differences(each, path === 'mcp' ? asText(raw) : raw, ours);
}

function asText({ directory, outcome }: Ran): Ran {
  const text = (bytes: Buffer): Buffer => Buffer.from(bytes.toString());
  return { directory, outcome: { ...outcome, stdout: text(outcome.stdout), stderr: text(outcome.stderr) } };
}

function isAccepted({ accepted: name }: Case, path: Path): boolean {
  return name !== null && accepted[name]?.paths.includes(path) === true;
}
