/** Secrets in texts and files, and judged skills, as front ends see them. */
import type { SkillScan } from '../../guard/skills/types.ts';
import type { Redactor } from '../../redact/types.ts';
import type { ScanResult } from '../../secrets/scan/types.ts';

export interface SecretsApi {
  /** For one text. Values of forwarded variables, and of these names, are secrets whatever they look like. */
  redactor(how?: { readonly names?: readonly string[] }): Redactor;
  /** Looks for prompt injection in a file before it becomes a part of a prompt. */
  scan(file: { readonly name: string; readonly bytes: Uint8Array }): Promise<ScanResult>;
  /** Accepts exactly these bytes from now on. Throws `failed_precondition` for content that no person can have read. */
  approve(result: ScanResult): Promise<void>;
  /** Judges the directory of a skill, SKILL.md and its scripts, as it is judged before it is used. */
  scanSkill(directory: string): Promise<SkillScan>;
  /**
   * Accepts exactly the files that were scanned, for use from now on. Throws `failed_precondition` when not all could be
   * read, `permission_denied` inside a command that Caisson runs.
   */
  acceptSkill(scan: SkillScan): Promise<void>;
}
