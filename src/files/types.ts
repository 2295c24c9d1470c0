/** What the files room answers. */

export interface CopyResult {
  readonly files: number;
  readonly directories: number;
  readonly bytes: number;
  /** Entries that were left out, with the reason: links, devices, sockets. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}
