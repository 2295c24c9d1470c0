/** What is seen of a directory that is watched. */
interface Change {
  /** `modified`: content, size, mode or owner; of a directory, its mode, or that it is another one. */
  readonly type: 'created' | 'modified' | 'removed';
  /** Below the directory, without a slash at its start. Bytes that are not UTF-8 are U+FFFD. */
  readonly path: string;
  /** Base64 of the name as it is. Absent where it is UTF-8. */
  readonly pathBytes?: string;
  /** Kind of the entry. */
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
}

export type WatchEvent =
  | Change
  /** So many changes are not listed; `null`: unknown, since there is more below the directory than is compared. */
  | { readonly type: 'overflow'; readonly missed: number | null }
  /** The last one: the sandbox has ended, or the directory is gone or another one. */
  | { readonly type: 'end'; readonly reason: 'sandbox' | 'directory' };

export interface WatchInput {
  /** A task id or a sandbox id. */
  readonly task: string;
  /** A directory. */
  readonly path: string;
  /** Also what lies in directories below. */
  readonly recursive?: boolean;
  /** Between two looks: 200 ms to an hour. Absent: 1 s. */
  readonly intervalMs?: number;
}
