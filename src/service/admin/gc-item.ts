export interface GcHow {
  /** Nothing is changed, and the answer tells what would be. */
  readonly dryRun: boolean;
  /** Sandbox that is given up, and nothing else. */
  readonly force?: string;
}

/** What was removed, or would be. */
export interface GcItem {
  /** Kind of leftover. */
  readonly kind: 'process' | 'sandbox' | 'resource' | 'directory' | 'journal';
  /** Backend that has it. `null`: it is of the state directory. */
  readonly backend: string | null;
  /** Name of the resource, directory or process. */
  readonly name: string;
  /** Task that it belonged to. `null`: not known. */
  readonly taskId: string | null;
  /** Reason for its removal, for people. */
  readonly why: string;
  /** Absent in a dry run. */
  readonly error?: string;
}
