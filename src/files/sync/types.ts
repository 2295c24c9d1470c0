export interface SyncResult {
  /** Those that travelled. */
  readonly files: number;
  /** Bytes of content that travelled. */
  readonly bytes: number;
  /** Files that were equal on both sides. */
  readonly unchanged: number;
  /** Gone at the source, and so removed in the sandbox. On this host nothing is ever removed. */
  readonly removed: number;
  /** What stayed as it is at the target, with the reason: changes there, other things in the place, names that cannot be compared. */
  readonly conflicts: readonly { readonly path: string; readonly why: string }[];
}
