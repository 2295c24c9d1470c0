/** What a command is read from, and what holds around it. */
import { valueUnits } from './limits.ts';
import { programOf } from './names.ts';
import { hole, type Assignment, type Elsewhere, type Redirect, type Simple, type Stage, type Word } from './types.ts';

export interface MutableScope {
  readonly vars: Map<string, string>;
  cwd: string | null;
}

export interface Around {
  readonly scope: MutableScope;
  readonly within: string | null;
  readonly calls: readonly string[];
  readonly stage: Stage | null;
  readonly stdin: string | null;
}

/** A text to be read as shell commands. */
export interface Payload {
  readonly text: string;
  /** Range at which findings are shown; `null`: their own place in the text. */
  readonly span: { readonly start: number; readonly end: number } | null;
  readonly around: Around;
  readonly depth: number;
  readonly elsewhere: Elsewhere;
}

/** A command that may run a text which does not stand in its words. */
export interface Run {
  readonly command: Simple;
  readonly payload: Payload;
  /** What was read of it. */
  readonly read: Set<string>;
}

export interface CommandParts {
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  readonly assignments: readonly Assignment[];
  readonly start: number;
  readonly end: number;
  readonly background: boolean;
  readonly around: Around;
  readonly stdin: string | null;
}

/** A command, or one that a wrapper runs. */
export interface Step {
  readonly words: readonly Word[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly Redirect[];
  readonly elsewhere: Elsewhere;
  readonly steps: number;
}

export function simpleOf(
  { words, assignments, redirects, elsewhere }: Step,
  parts: CommandParts,
  depth: number,
): Simple {
  const { start, end, background, around, stdin } = parts;
  return {
    program: programOf(words[0]),
    words,
    redirects,
    assignments,
    start,
    end,
    background,
    elsewhere,
    possible: false,
    depth,
    cwd: around.scope.cwd,
    stage: around.stage,
    within: around.within,
    calls: around.calls,
    stdin: stdin ?? around.stdin,
    wraps: false,
  };
}

export function copyOf({ vars, cwd }: MutableScope): MutableScope {
  return { vars: new Map(vars), cwd };
}

export function keepValue(scope: MutableScope, name: string, value: string): void {
  scope.vars.set(name, value.length > valueUnits ? hole : value);
}
