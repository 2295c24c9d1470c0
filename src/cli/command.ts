/** What a command is. One definition drives parsing, help and the suggestion of names. */
import type { Context } from './context.ts';
import type { GivenOptions, GivenOf, Options } from './option.ts';

export interface Operand {
  readonly name: string;
  /** `any`: none or more. `many`: at least one. */
  readonly count: 'one' | 'optional' | 'any' | 'many';
}

export interface Outline {
  /** Name of the command in the form that is typed: `run`, `config show`. */
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Further paragraphs of its help. */
  readonly about?: string;
  readonly operands: readonly Operand[];
  /** Whether a command to run stands after `--`. */
  readonly runs: boolean;
  /** Whether it exits as the command did that it ran inside. */
  readonly exitsAsCommand: boolean;
  readonly options: Options;
  /** Exit code for a command line that is not understood. Absent: 2. */
  readonly usageExitCode?: number;
  /** What each example shows, and the line to type without `caisson`. */
  readonly examples: readonly (readonly [string, string])[];
}

export interface Command extends Outline {
  /** Resolves to the exit code. */
  readonly run: (given: GivenOptions, context: Context) => Promise<number>;
}

interface Definition<O extends Options> extends Outline {
  readonly options: O;
  readonly run: (given: GivenOf<O>, context: Context) => Promise<number>;
}

/** Lets `run` see exactly the options of its own definition: the parser gives every one of them. */
export function defineCommand<const O extends Options>(definition: Definition<O>): Command {
  return definition;
}

export function usageLine(outline: Outline): string {
  const operands = outline.operands.map(({ name, count }) => forms[count](name));
  const options = Object.keys(outline.options).length === 0 ? [] : ['[options]'];
  return ['caisson', outline.name, ...options, ...operands, ...(outline.runs ? ['-- COMMAND [ARG...]'] : [])].join(' ');
}

const forms: Readonly<Record<Operand['count'], (name: string) => string>> = {
  one: (name) => name,
  optional: (name) => `[${name}]`,
  any: (name) => `[${name}...]`,
  many: (name) => `${name} [${name}...]`,
};
