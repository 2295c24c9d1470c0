/** The processes of lanes, for `strangers.ts`. */
import type { Lane } from './lane.ts';
import type { Own } from './strangers.ts';

export function ownOf(lanes: ReadonlySet<Lane>): Own {
  const pidsOf = (some: readonly Lane[]): ReadonlySet<number> => new Set(some.flatMap(({ pid }) => pid ?? []));
  return {
    lanes: pidsOf([...lanes]),
    children: new Set([...lanes].flatMap(({ child }) => child?.pid ?? [])),
    parents: pidsOf([...lanes].filter(({ child }) => child?.pid === null)),
  };
}
