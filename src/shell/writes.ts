/** Which files a command writes. */
import { resolvePath } from './paths.ts';
import type { Simple, Word } from './types.ts';
import { type How, valuesOf, writers } from './writers.ts';

export interface Write {
  readonly target: Word;
  readonly how: How;
  /** `null`: the directory it is relative to is not known. */
  readonly path: string | null;
}

const none: readonly Write[] = [];
const known = new WeakMap<Simple, readonly Write[]>();

/** Asked by several rules of the same command. */
export function writesOf(command: Simple): readonly Write[] {
  if (command.redirects.length === 0 && (command.program === null || !Object.hasOwn(writers, command.program)))
    return none;
  const writes = known.get(command) ?? findWrites(command);
  known.set(command, writes);
  return writes;
}

function findWrites(command: Simple): readonly Write[] {
  const { program, redirects, cwd } = command;
  const into = redirects.filter(({ writes }) => writes).map(({ target }) => ({ target, how: 'redirect' as const }));
  const writer = program !== null && Object.hasOwn(writers, program) ? writers[program] : undefined;
  const found = [...into, ...(writer?.(command.words.slice(1)) ?? [])];
  const base = found.length === 0 ? cwd : directoryOf(command);
  return found.map(({ target, how }) => ({
    target,
    how,
    path: resolvePath(target.text, how === 'redirect' ? cwd : base),
  }));
}

/** `git -C /x`, `make -C /x`. */
function directoryOf({ program, words, cwd }: Simple): string | null {
  if (program !== 'git' && program !== 'make') return cwd;
  const given = valuesOf(words.slice(1), /^(?:-C|--directory)$/, /^(?:-C|--directory=)(?=.)/)[0];
  return given === undefined ? cwd : resolvePath(given.text, cwd);
}

/** Whether its words may name files that it writes. */
export const mayWrite = (program: string): boolean => Object.hasOwn(writers, program);
