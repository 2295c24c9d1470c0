/** Finds arrows that the house forbids, circles, and rooms that want a wall. Each complaint names file and line. */
import { importsOf, targetOf, type Import, type Sources } from './imports.ts';
import { allowed, roomOf } from './rooms.ts';

/** Loads backends of others, from paths of the operator's configuration. */
const registering = 'src/config/import.ts';

export function wrongArrows(sources: Sources): readonly string[] {
  return [...sources].flatMap(([path, text]) => wrongArrowsOf(path, importsOf(path, text)));
}

function wrongArrowsOf(path: string, imports: readonly Import[]): readonly string[] {
  const place = roomOf(path);
  if (place === null) return [`${path}: is in no room of the house; give it one in test/architecture/rooms.ts`];
  return imports.flatMap((each) => {
    if (each.specifier === null && path === registering) return [];
    if (each.specifier === null)
      return [`${path}:${each.line}: imports a computed path; name the file, so that the arrow can be seen`];
    const target = targetOf(path, each);
    if (target === null || place.may.test(target)) return [];
    return [
      `${path}:${each.line}: imports ${target}. This is ${place.room.name}; it may import ${allowed(place.room, target)}`,
    ];
  });
}

/** Type-only circles count: a type that needs its user is in the wrong file. Each circle is reported once. */
export function circles(sources: Sources): readonly string[] {
  const open: string[] = [];
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string): void => {
    const entered = open.indexOf(path);
    if (entered >= 0) found.push([...open.slice(entered), path].join(' -> '));
    if (entered >= 0 || done.has(path)) return;
    open.push(path);
    for (const target of targets(sources, path)) visit(target);
    open.pop();
    done.add(path);
  };
  for (const path of sources.keys()) visit(path);
  return found;
}

function targets(sources: Sources, path: string): readonly string[] {
  const imports = importsOf(path, sources.get(path) ?? '').flatMap((each) => targetOf(path, each) ?? []);
  return [...new Set(imports)].filter((target) => sources.has(target));
}

/** Circles of folders below `src/`, even without a circle of files: a room that needs its own user is in the wrong place. */
export function roomCircles(sources: Sources): readonly string[] {
  const room = (path: string): string | null => /^src\/([^/]+)\//.exec(path)?.[1] ?? null;
  const knows = new Map<string, Set<string>>();
  for (const path of sources.keys()) {
    const from = room(path);
    if (from === null) continue;
    const known = knows.get(from) ?? new Set();
    knows.set(from, known);
    for (const target of targets(sources, path)) known.add(room(target) ?? from);
  }
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(knows.get(from) ?? [])].some((next) => {
      if (next === from || seen.has(next)) return false;
      seen.add(next);
      return next === to || reaches(next, to, seen);
    });
  return [...knows.keys()].filter((each) => reaches(each, each)).toSorted();
}

/**
 * Arrows up inside a room, between its folders and the files beside them: those that remain against the order of the parts that
 * leaves the fewest. A room without a circle of parts has none.
 */
export function arrowsUp(sources: Sources, room: string): readonly string[] {
  const inside = `src/${room}/`;
  const part = (path: string): string | null =>
    path.startsWith(inside) ? (path.slice(inside.length).split('/')[0] ?? null) : null;
  const arrows = new Map<string, readonly [from: string, to: string]>();
  for (const path of sources.keys()) {
    const from = part(path);
    if (from === null) continue;
    for (const target of targets(sources, path)) {
      const to = part(target);
      if (to !== null && to !== from) arrows.set(`${from} -> ${to}`, [from, to]);
    }
  }
  const against = (order: readonly string[]): readonly string[] =>
    [...arrows].flatMap(([name, [from, to]]) => (order.indexOf(from) > order.indexOf(to) ? [name] : []));
  return against(fewestAgainst([...new Set([...arrows.values()].flat())].toSorted(), (order) => against(order).length));
}

/** Moves one part at a time to a better place, until none gets better. */
function fewestAgainst(parts: readonly string[], cost: (order: readonly string[]) => number): readonly string[] {
  const moved = (order: readonly string[], at: number, to: number): readonly string[] => {
    const rest = order.toSpliced(at, 1);
    return rest.toSpliced(to, 0, order[at] ?? '');
  };
  let best = parts;
  for (let changed = true; changed;) {
    changed = false;
    for (const part of parts)
      for (let to = 0; to < parts.length; to++) {
        const next = moved(best, best.indexOf(part), to);
        if (cost(next) < cost(best)) [best, changed] = [next, true];
      }
  }
  return best;
}

export const ceilingLines = 300;
const longLines = 400;

/** The contract is prose for the most part, and is read as one page. */
const longerOnPurpose = new Set(['src/backend.ts']);

/** Files that one wall more would make harder to read. Five at most. */
export const long: ReadonlySet<string> = new Set([
  'src/exec/lane/pool.ts',
  'test/cli/double.ts',
  'test/cli/double-data.ts',
]);
const ceilingOf = (path: string): number => (long.has(path) ? longLines : ceilingLines);

export function tooLong(sources: Sources): readonly string[] {
  return [...sources].flatMap(([path, text]) => {
    const lines = text.split('\n').length - 1;
    const max = ceilingOf(path);
    return lines <= max || longerOnPurpose.has(path) ? [] : [`${path}: ${lines} lines, ${max} at max; give it a wall`];
  });
}
