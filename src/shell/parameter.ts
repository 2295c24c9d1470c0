/** What `$x` and `${...}` stand for, as far as that is written in the command itself. */
import { hole, homeMark, wordBreak, type Scope } from './types.ts';

export interface Expanded {
  readonly text: string;
  /** Field separators, as `$IFS` holds them, rather than a value. */
  readonly separates: boolean;
  /** `${x:-$(...)}`: the rest has to be resolved like a word. */
  readonly word: string | null;
}

const unknown: Expanded = { text: hole, separates: false, word: null };
const given = (text: string): Expanded => ({ text, separates: false, word: null });

export function variable(name: string, { vars, cwd }: Scope): string | undefined {
  const value = vars.get(name);
  // An array without an index is its first element.
  if (value?.startsWith(wordBreak) === true) return value.split(wordBreak, 2)[1];
  if (value !== undefined) return value;
  if (name === 'HOME') return homeMark;
  return name === 'PWD' ? (cwd ?? undefined) : undefined;
}

/** `inside`: the text between the braces. */
export function expandParameter(inside: string, scope: Scope): Expanded {
  const match = /^([A-Za-z_]\w*|\d+|[@*#?$!-])(?:\[([^\]]*)\])?/.exec(inside);
  const name = match?.[1];
  if (match === null || name === undefined) return unknown;
  if (name === 'IFS' && !scope.vars.has('IFS')) return { text: ' ', separates: true, word: null };
  const rest = inside.slice(match[0].length);
  const elements = scope.vars.get(name);
  if (match[2] !== undefined && elements?.startsWith(wordBreak) === true)
    return rest === '' ? element(match[2], elements) : unknown;
  const value = variable(name, scope);
  if (rest === '') return value === undefined ? unknown : given(value);
  return operated(rest, value);
}

/** `${a[@]}`, `${a[1]}`: of an array, each element behind a word break. */
function element(index: string, array: string): Expanded {
  if (index === '@' || index === '*') return given(array.slice(wordBreak.length));
  const found = /^\d+$/.test(index) ? array.split(wordBreak)[Number(index) + 1] : hole;
  return given(found ?? '');
}

function operated(rest: string, value: string | undefined): Expanded {
  const [, test = '', word = ''] = /^:?([-=+?])([^]*)$/.exec(rest) ?? [];
  if (test === '?') return value === undefined ? unknown : given(value);
  if (test === '+') return { text: '', separates: false, word };
  if (test !== '') return value === undefined || value === '' ? { text: '', separates: false, word } : given(value);
  if (value === undefined || value.includes(hole)) return unknown;
  const changed = changedBy(rest, value);
  return changed === null ? unknown : given(changed);
}

/** Slices, replacements and trimmings without patterns. */
function changedBy(rest: string, value: string): string | null {
  const [, from, length] = /^: ?(-?\d{1,5})(?::(-?\d{1,5}))?$/.exec(rest) ?? [];
  if (from !== undefined) return value.slice(Number(from)).slice(0, length === undefined ? undefined : Number(length));
  const [, all, pattern = '', to = ''] = /^\/(\/?)([^/*?[\]\\$`'"]+)(?:\/([^$`'"]*))?$/.exec(rest) ?? [];
  if (all !== undefined) return all === '/' ? value.replaceAll(pattern, () => to) : value.replace(pattern, () => to);
  const [, side, affix = ''] = /^(##?|%%?)([^*?[\]\\$`'"]+)$/.exec(rest) ?? [];
  if (side?.startsWith('#') === true) return value.startsWith(affix) ? value.slice(affix.length) : value;
  if (side !== undefined) return value.endsWith(affix) ? value.slice(0, value.length - affix.length) : value;
  if (/^,,?$/.test(rest)) return value.toLowerCase();
  return /^\^\^$/.test(rest) ? value.toUpperCase() : null;
}
