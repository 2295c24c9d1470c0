/** What a scan of a context file finds. Shapes only. */

export type ScanCategory =
  | 'prompt_injection'
  | 'hidden_html'
  | 'secret_read'
  | 'exfiltration'
  | 'invisible_characters'
  | 'bidirectional_characters'
  | 'confusable_characters'
  | 'control_characters'
  /** It cannot be read as text, or is too long to be looked at. */
  | 'unreadable';

export interface ScanFinding {
  /** Kind of finding. */
  readonly category: ScanCategory;
  /** Stable id of the rule. */
  readonly rule: string;
  /** One sentence for people. */
  readonly description: string;
  /** Indexes into the text in UTF-16 units, the end behind the last. */
  readonly start: number;
  /** Index behind its last UTF-16 unit. */
  readonly end: number;
  /** Counted from 1. */
  readonly line: number;
}

export interface ScanResult {
  /** Name as it was given: a path, or another name. */
  readonly name: string;
  /** `approved`: it has findings, and somebody has accepted exactly these bytes. */
  readonly verdict: 'clean' | 'approved' | 'blocked';
  /** Findings in the order of the text. */
  readonly findings: readonly ScanFinding[];
  /** SHA-256 of the bytes that were scanned. */
  readonly sha256: string;
  /** What may be loaded: the text, or one line that says why not. */
  readonly content: string;
}
