/** What a look at a skill finds. Shapes only. */

/** `dangerous` is refused until a person accepts exactly these files; `caution` is reported. */
export type SkillVerdict = 'safe' | 'caution' | 'dangerous';

export interface SkillFinding {
  /** Path below the skill. */
  readonly file: string;
  /** Counted from 1; `null`: it is about the file as a whole. */
  readonly line: number | null;
  readonly severity: Exclude<SkillVerdict, 'safe'>;
  readonly category: string;
  readonly description: string;
}

export interface SkillScan {
  /** The directory. */
  readonly path: string;
  readonly verdict: SkillVerdict;
  /** A person has accepted exactly these files. */
  readonly accepted: boolean;
  readonly findings: readonly SkillFinding[];
  /** Hash of paths, modes and contents; `null`: not all could be read, so that nothing can be accepted. */
  readonly sha256: string | null;
  readonly files: number;
}
