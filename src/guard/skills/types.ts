/** What a look at a skill finds. Shapes only. */

/** `dangerous` is refused until a person accepts exactly these files; `caution` is reported. */
export type SkillVerdict = 'safe' | 'caution' | 'dangerous';

export interface SkillFinding {
  /** Path below the skill. */
  readonly file: string;
  /** Counted from 1; `null`: it is about the file as a whole. */
  readonly line: number | null;
  /** Verdict that this finding alone gives. */
  readonly severity: Exclude<SkillVerdict, 'safe'>;
  /** Kind of finding. */
  readonly category: string;
  /** One sentence for people. */
  readonly description: string;
}

export interface SkillScan {
  /** The directory. */
  readonly path: string;
  /** Strictest verdict of all findings. */
  readonly verdict: SkillVerdict;
  /** A person has accepted exactly these files. */
  readonly accepted: boolean;
  /** Findings in all its files. */
  readonly findings: readonly SkillFinding[];
  /** Hash of paths, modes and contents; `null`: not all could be read, so that nothing can be accepted. */
  readonly sha256: string | null;
  /** Number of files that were read. */
  readonly files: number;
}
