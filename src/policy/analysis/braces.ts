/** Brace expansion, which the shell does before everything else. */
import { braceItems } from '../limits.ts';

/** `a{b,c}` -> `ab`, `ac`; ranges too. Quoted braces stay. Beyond the bound the rest stays as it is. */
export function expandBraces(raw: string): readonly string[] {
  if (!raw.includes('{')) return [raw];
  const done: string[] = [];
  const todo = [raw];
  while (todo.length > 0) {
    const next = todo.pop() ?? '';
    const group = done.length + todo.length < braceItems ? firstGroup(next) : null;
    if (group === null) done.push(next);
    else
      for (const item of group.items.toReversed()) todo.push(next.slice(0, group.start) + item + next.slice(group.end));
  }
  return done;
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly items: readonly string[];
}

function firstGroup(text: string): Group | null {
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\\') at += 1;
    else if (char === "'" || char === '"') {
      at = text.indexOf(char, at + 1);
      if (at < 0) return null;
    } else if (char === '$' && text[at + 1] === '{') {
      at = text.indexOf('}', at);
      if (at < 0) return null;
    } else if (char === '{') {
      const group = groupAt(text, at);
      if (group !== null) return group;
    }
  }
  return null;
}

function groupAt(text: string, start: number): Group | null {
  const cuts = [start];
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\\') at += 1;
    else if (char === '{') depth += 1;
    else if (char === ',' && depth === 1) cuts.push(at);
    else if (char === '}' && (depth -= 1) === 0) {
      const items =
        cuts.length > 1
          ? cuts.map((cut, index) => text.slice(cut + 1, cuts[index + 1] ?? at))
          : rangeOf(text.slice(start + 1, at));
      return items === null ? null : { start, end: at + 1, items };
    }
  }
  return null;
}

function rangeOf(text: string): readonly string[] | null {
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
