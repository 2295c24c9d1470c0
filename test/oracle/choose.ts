/** What one run compares: everything, or a part that a seed names. */
import type { Case } from './case.ts';
import type { Pairing } from './compare.ts';
import { canRun, type Path, paths } from './path.ts';
import { chosen, randomOf, shuffled } from './random.ts';

/** A command in the place where it is to run. */
export interface PlacedCommand extends Pairing {
  readonly place: string;
}

const part = 1 / 3;
const pathsOfEach = 2;

/** A third of the commands, each in one place and on two of the paths that it can take. Any of them may be the last that there is time for. */
export function partOf(cases: readonly Case[], places: readonly string[], seed: number): readonly PlacedCommand[] {
  const random = randomOf(seed);
  return shuffled(chosen(cases, Math.ceil(cases.length * part), random), random).flatMap((each) => {
    const [place = ''] = chosen(places, 1, random);
    const able = paths.filter((path) => canRun(path, each) && hasPath(place, path));
    return chosen(able, pathsOfEach, random).map((path) => ({ case: each, path, place }));
  });
}

export function everything(cases: readonly Case[], places: readonly string[]): readonly PlacedCommand[] {
  return places.flatMap((place) =>
    cases.flatMap((each) => paths.filter((path) => canRun(path, each)).map((path) => ({ case: each, path, place }))),
  );
}

/** This host has no terminals to give. */
const hasPath = (place: string, path: Path): boolean => place !== 'local' || path !== 'terminal';
