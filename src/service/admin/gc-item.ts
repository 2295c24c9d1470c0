/** What was removed, or would be. */
export interface GcItem {
  readonly kind: 'process' | 'sandbox' | 'resource' | 'directory' | 'journal';
  readonly backend: string | null;
  readonly name: string;
  readonly taskId: string | null;
  readonly why: string;
  /** Absent in a dry run. */
  readonly error?: string;
}
