/** The shape of an option model: what of a program a prefix rule covers. Data alone; `read.ts` reads words by it. */

/** Whether a value or an operand is covered. `isPattern`: the shell may still replace it by names of files. */
export type Test = (text: string, isPattern: boolean) => boolean;

export interface Model {
  /**
   * Options by their full names, separated by blanks: `-q` takes no value, `-n:number` takes one, glued or as the next
   * word, `--color?` takes one only glued. Behind the mark stands the kind of the value; without one any value is
   * covered that cannot be read as an option. `-NUM` is a number for an option.
   */
  readonly options?: string;
  /** Kinds of the operands in their order, separated by blanks; the last repeats when it ends with `*`. Absent: `any*`. */
  readonly operands?: string;
  /** An option that stands in for the first kind of operand: `sed -e SCRIPT FILE`. */
  readonly supplied?: RegExp;
  /** The first operand names a subcommand, with a model of its own. */
  readonly commands?: Readonly<Record<string, Model>>;
  /** Kinds beside those of `kinds.ts`. */
  readonly kinds?: Readonly<Record<string, Test>>;
  /** `whole`: `-name` is one option and no cluster of letters. `separate`: a value never stands behind `=`. */
  readonly style?: 'whole' | 'separate';
  /** The first word may hold options without a dash, whose values follow: `tar xzf a.tar`. */
  readonly bundled?: boolean;
  /** It only looks: runs in the modes that let reading run. */
  readonly reads?: boolean;
}
