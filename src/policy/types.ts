/** Shapes of the command policy that travel. No code, so that front ends may import them. */

/** What a command could touch. Decides which guards apply. */
export type Reach = 'host' | 'remote-host' | 'container' | 'container-with-host-paths';

/** Strictness grows from left to right; the strictest over all parts of a command wins. */
export type Verdict = 'allow' | 'ask' | 'deny';

/** Which kind of rule gave the verdict. */
export type Tier = 'hardline' | 'dangerous' | 'rule' | 'mode' | 'none';

/**
 * What happens to a tool call that no rule names. `autonomous`: it runs. `cautious`: reading runs, everything else is
 * asked for. `supervised`: everything is asked for. `plan`: reading runs, everything else is refused.
 */
export type Mode = 'autonomous' | 'cautious' | 'supervised' | 'plan';

export type Profile = 'standard' | 'strict';

/** One thing that was found, with its place in the text of the command (UTF-16 units, end exclusive). */
export interface Finding {
  /** Stable id: `H1`, `D13`, or the text of a permission rule. */
  readonly rule: string;
  /** One sentence for people. */
  readonly description: string;
  /** Index of its first UTF-16 unit. */
  readonly start: number;
  /** Index after its last UTF-16 unit. */
  readonly end: number;
  /** The text of a permission rule, or `mode NAME`, that could not be held otherwise. Absent for all other findings. */
  readonly because?: string;
}

export interface Decision {
  /** Strictest verdict over all parts of the command. */
  readonly verdict: Verdict;
  /** Kind of rule that gave the verdict. */
  readonly tier: Tier;
  /** The strictest first; findings of rules that were overruled by a stricter one are kept. */
  readonly findings: readonly Finding[];
}

/** Permission rules as they are written: `terminal(git:*)`, `write_file(src/**)`, `read_file`. */
export interface RuleTexts {
  /** Rules that let a call run without a question. */
  readonly allow?: readonly string[];
  /** Rules that ask a person. */
  readonly ask?: readonly string[];
  /** Rules that refuse a call. */
  readonly deny?: readonly string[];
}

/** One rule of the hardline or the dangerous list, tried on its own examples. */
export interface RuleExamples {
  /** Id of the rule. */
  readonly rule: string;
  /** How many it was tried on. */
  readonly examples: number;
  /** What does not hold; empty when the rule does what it says. */
  readonly problems: readonly string[];
}

/** Judges one command: text for a shell, or a program with its arguments. Throws `invalid_argument` for an empty list. */
export type Checker = (command: string | readonly string[]) => Decision;

/** What a check is asked with; absent keys are those of the configuration. */
export interface CheckQuery {
  /** Backend that would run the command. */
  readonly backend?: string;
  /** Absolute. */
  readonly cwd?: string;
  /** Rules instead of the configuration's. */
  readonly rules?: RuleTexts;
  /** Mode instead of `approvals.tool_mode`. */
  readonly mode?: Mode;
  /** Profile instead of `policy.profile`. */
  readonly profile?: Profile;
  /** Whose saved rules hold. Absent: those of the operator. */
  readonly owner?: string;
  /** It would read input that is not judged. */
  readonly stdin?: boolean;
  /** The directory of the caller, absolute on this host, whose project may have rules. Absent: that of this process. */
  readonly directory?: string;
}
