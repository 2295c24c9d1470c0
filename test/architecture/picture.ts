/** The rooms of the house and the arrows between them as a picture, in the language of Mermaid. */
import { importsOf, type Sources, targetOf } from './imports.ts';

const room = (path: string): string | null => {
  const folder = /^(src|backends|emulators|images)\/([^/]+)(\/)?/.exec(path);
  if (folder === null) return null;
  const [, top, name = '', inside] = folder;
  if (top !== 'src') return top ?? null;
  return inside === undefined ? name.replace(/\.ts$/, '') : name;
};

/** Everybody may use these: arrows to them would hide all others. */
const everywhere = new Set(['errors', 'backend', 'lib', 'values']);

type Arrows = ReadonlyMap<string, ReadonlySet<string>>;

function arrowsOf(sources: Sources): Arrows {
  const found = new Map<string, Set<string>>();
  for (const [path, text] of sources) {
    const from = room(path);
    if (from === null || everywhere.has(from)) continue;
    const known = found.get(from) ?? new Set<string>();
    found.set(from, known);
    for (const each of importsOf(path, text)) {
      const to = room(targetOf(path, each) ?? '');
      if (to !== null && to !== from && !everywhere.has(to)) known.add(to);
    }
  }
  return found;
}

/** Arrows that follow from others are left out: `a -> c` where `a -> b -> c`. */
function essential(arrows: Arrows): readonly (readonly [string, string])[] {
  const reaches = (from: string, to: string): boolean =>
    [...(arrows.get(from) ?? [])].some((next) => next === to || reaches(next, to));
  return [...arrows].flatMap(([from, known]) =>
    [...known]
      .filter((to) => ![...known].some((other) => other !== to && reaches(other, to)))
      .map((to) => [from, to] as const),
  );
}

export function pictureOf(sources: Sources): string {
  const lines = essential(arrowsOf(sources)).map(([from, to]) => `  ${from} --> ${to}`);
  return ['flowchart TD', ...lines.toSorted()].join('\n');
}

const block = /(```mermaid\n)[^]*?(\n```)/;

/** The page with the picture of today. */
export function withPicture(page: string, sources: Sources): string {
  return page.replace(block, (_, open: string, close: string) => `${open}${pictureOf(sources)}${close}`);
}
