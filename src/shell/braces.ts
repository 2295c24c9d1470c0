/** Brace expansion, which the shell does before everything else. */
import { braceItems, bracesUnits } from './limits.ts';
import { endOfQuoted } from './quoting.ts';

/** `a{b,c}` -> `ab`, `ac`; ranges too. Quoted braces stay. Beyond the bound the rest stays as it is. */
export function expandBraces(raw: string): readonly string[] {
  if (!raw.includes('{')) return [raw];
  const max = Math.max(leastItems, Math.min(braceItems, Math.floor(bracesUnits / raw.length)));
  const done: string[] = [];
  const todo = [raw];
  while (todo.length > 0) {
    const next = todo.pop() ?? '';
    const group = done.length + todo.length < max ? firstGroup(next) : null;
    if (group === null) done.push(next);
    else
      for (const item of group.items.toReversed()) todo.push(next.slice(0, group.start) + item + next.slice(group.end));
  }
  return done;
}

const leastItems = 4;

interface Group {
  readonly start: number;
  readonly end: number;
  readonly items: readonly string[];
}

/** The first that is closed and stands for more than one word; found in one pass, however deep they are nested. */
function firstGroup(text: string): Group | null {
  const open: number[][] = [];
  let first: Group | null = null;
  for (let at = 0; at < text.length && (first === null || open.length > 0); at += 1) {
    const char = text[at];
    if (char === '{') open.push([at]);
    else if (char === ',') open.at(-1)?.push(at);
    else if (char === '}') first = parseGroup(text, open.pop() ?? [], at) ?? first;
    else at = endOfQuoted(text, at);
  }
  return first;
}

/** What closes later inside of another group began later, too, so that the one closed last is the first. */
function parseGroup(text: string, cuts: readonly number[], close: number): Group | null {
  const start = cuts[0] ?? close;
  const items =
    cuts.length > 1
      ? cuts.map((cut, index) => text.slice(cut + 1, cuts[index + 1] ?? close))
      : expandRange(text.slice(start + 1, close));
  return items === null ? null : { start, end: close + 1, items };
}

function expandRange(text: string): readonly string[] | null {
  const range = /^(-?\d{1,9}|[a-zA-Z])\.\.(-?\d{1,9}|[a-zA-Z])(?:\.\.-?\d{1,4})?$/.exec(text);
  const [, from = '', to = ''] = range ?? [];
  if (range === null || /\d/.test(from) !== /\d/.test(to)) return null;
  const numeric = /\d/.test(from);
  const [first, end] = numeric ? [Number(from), Number(to)] : [from.charCodeAt(0), to.charCodeAt(0)];
  const step = first <= end ? 1 : -1;
  const count = Math.min(Math.abs(end - first) + 1, braceItems);
  return Array.from({ length: count }, (_, index) =>
    numeric ? String(first + index * step) : String.fromCharCode(first + index * step),
  );
}
