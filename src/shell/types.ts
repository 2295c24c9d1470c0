/** What an analysed command is made of. */

/** Stands in a word for a part that is not known before the command runs. Cannot occur in a real argument. */
export const hole = '\u0000';
/** Stands at the start of a word for the home directory. */
export const homeMark = '\u0001';

/** Stands between the words in the value of `$@`. */
export const wordBreak = '\u0002';

export interface Word {
  /** After unquoting and expansion, with `hole` and `homeMark`. */
  readonly text: string;
  /** The word in its spelling in the text, with quotes and expansions. */
  readonly raw: string;
  readonly start: number;
  readonly end: number;
  /** Written out: quotes and escapes at most, no expansion of any kind. */
  readonly literal: boolean;
  /** Holds unquoted `*`, `?` or `[`. */
  readonly glob: boolean;
}

export interface Redirect {
  readonly operator: string;
  readonly target: Word;
  readonly writes: boolean;
}

export interface Assignment {
  readonly name: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Place of a command in a pipeline. Commands of one pipeline share the object `pipeline`. */
export interface Stage {
  readonly pipeline: object;
  readonly index: number;
}

/**
 * `container`: the hardline list of this host does not cover what `docker exec` runs. `machine`: a command that goes to another
 * machine by ssh may end that machine, which is a usual errand; everything else is as bad there as here.
 */
export type Elsewhere = false | 'machine' | 'container';

/** One simple command. */
export interface Simple {
  /** Lower-case name without directories; `null`: not known; empty: assignments or redirections alone. */
  readonly program: string | null;
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  readonly assignments: readonly Assignment[];
  readonly start: number;
  readonly end: number;
  /** `null`: not known. */
  readonly cwd: string | null;
  readonly background: boolean;
  readonly stage: Stage | null;
  /** Text it reads from a here-document or here-string; may hold `hole`. */
  readonly stdin: string | null;
  /** A wrapper such as sudo: what it runs is a command of its own. */
  readonly wraps: boolean;
  readonly elsewhere: Elsewhere;
  /** Only some of the shells that may read the text run it. */
  readonly possible: boolean;
  /** The function in whose body it stands. */
  readonly within: string | null;
  /** Functions and aliases through whose text it is reached, outermost first. */
  readonly calls: readonly string[];
  /** Runs text that was written down as an argument or input of another command. */
  readonly depth: number;
}

/** Why a command cannot be judged by its parts alone. Each is asked for. */
export interface Note {
  readonly rule: string;
  readonly description: string;
  readonly start: number;
  readonly end: number;
}

/** Note about a shell that reads its commands from an input that was not judged. */
export const laterInput = { rule: 'U11', description: 'its later input is not judged' } as const;

/** Things in a command that a word-level permission rule cannot answer for. */
export type Feature =
  | 'assignment'
  | 'expansion'
  | 'function'
  | 'substitution'
  | 'coproc'
  | 'list'
  | 'background'
  | 'control';

export interface Analysis {
  readonly text: string;
  /** The home directory where it would run, when it is known. */
  readonly home: string | null;
  readonly commands: readonly Simple[];
  readonly notes: readonly Note[];
  readonly features: ReadonlySet<Feature>;
  /** Commands that run a text which the text makes, and which is not known before. */
  readonly unread: ReadonlySet<Simple>;
}

export interface Scope {
  readonly vars: ReadonlyMap<string, string>;
  readonly cwd: string | null;
}

/** A function or an alias that is there when a command starts. */
export interface Definition {
  readonly kind: 'function' | 'alias';
  readonly name: string;
  /** The body of the function, as shell text, or what the alias stands for. `null`: not known. */
  readonly text: string | null;
}

export interface CommandContext {
  /** Directory in which the command would start: absolute, in the sandbox. `null`: not known. */
  readonly cwd: string | null;
  /** What a shell that lives already has defined, as far as the command names it. */
  readonly definitions?: readonly Definition[];
  /** Whether that shell did not tell what it has defined. */
  readonly unclear?: boolean;
  /** The home directory there, when it is known. */
  readonly home?: string;
  /** Variables that the request sets for all of it: judged as if they stood in front of each command. */
  readonly environment?: readonly { readonly name: string; readonly value: string }[];
  /** Input that was not judged will reach it. */
  readonly stdin?: boolean;
}
