/**
 * A program and its arguments in variables, for a process whose stdin is the caller's, or must not cost another process: what
 * stands in arguments is found by `ps` and by every `pgrep -f`. The variables are gone before the program begins.
 */

export interface Carried {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

/** Names that begin with CAISSON_ are reserved: no command has variables of them. */
const family = 'CAISSON_TEXT';
/** Pieces of characters with at most four bytes each: a variable holds 128 KiB (execve(2): MAX_ARG_STRLEN). */
const piecesOf = /[^]{1,32000}/gu;

/** `name` is shown as that of the process. No argument holds NUL. */
export function carried(name: string, text: string, args: readonly string[]): Carried {
  return {
    command: ['sh', '-c', `eval "$${family}"`, `caisson-${name}`],
    env: carriedIn(family, text, args),
  };
}

/** The variables alone, for a shell that evaluates the one that has the name `first`. */
export function carriedIn(first: string, text: string, args: readonly string[]): Carried['env'] {
  const pieces = `set -- ${args.map(quote).join(' ')}\n${text}`.match(piecesOf) ?? [];
  const names = pieces.map((_, index) => `${first}${index + 1}`);
  const start = `eval "unset ${[first, ...names].join(' ')}\n${names.map((each) => `$${each}`).join('')}"`;
  return { [first]: start, ...Object.fromEntries(pieces.map((piece, index) => [`${first}${index + 1}`, piece])) };
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
