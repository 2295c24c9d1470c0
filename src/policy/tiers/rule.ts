/** A rule of the hardline or the dangerous list: data and one predicate, with the examples that hold it. */
import type { Analysis, Simple } from '../../shell/types.ts';

export interface Rule {
  readonly id: string;
  /** Text shown to people, and the name of the rule in `command_allowlist`. */
  readonly description: string;
  /** Programs it is about, lower-case; `*` ends a prefix, `*` alone is every command. */
  readonly programs: readonly string[];
  readonly test: (command: Simple, analysis: Analysis) => boolean;
  /** Commands that it must find, and some it must not. */
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

export const argsOf = ({ words }: Simple): readonly string[] => words.slice(1).map(({ text }) => text);

const none: readonly Rule[] = [];

/** Rules by the programs they are about, so that a command meets only its own. */
export class RuleIndex {
  readonly #named = new Map<string, Rule[]>();
  readonly #prefixed: (readonly [string, Rule])[] = [];
  readonly #every: Rule[] = [];

  constructor(rules: readonly Rule[]) {
    for (const rule of rules) for (const program of rule.programs) this.#add(program, rule);
  }

  /** Those of every command first. */
  hitsOf(command: Simple, analysis: Analysis, hit: (rule: Rule) => void): void {
    const { program } = command;
    for (const rule of this.#every) if (rule.test(command, analysis)) hit(rule);
    if (program === null) return;
    for (const rule of this.#named.get(program) ?? none) if (rule.test(command, analysis)) hit(rule);
    for (const [prefix, rule] of this.#prefixed)
      if (program.startsWith(prefix) && rule.test(command, analysis)) hit(rule);
  }

  #add(program: string, rule: Rule): void {
    if (program === '*') this.#every.push(rule);
    else if (program.endsWith('*')) this.#prefixed.push([program.slice(0, -1), rule]);
    else this.#named.set(program, [...(this.#named.get(program) ?? []), rule]);
  }
}
