/** What became of a copy. */
export interface CopyResult {
  /** Regular files that were copied. */
  readonly files: number;
  /** Directories that were copied, the root included. */
  readonly directories: number;
  /** Bytes of file content. */
  readonly bytes: number;
  /** Entries that were left out, with the reason: links, devices, sockets. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

/** A file or directory of a sandbox as a tar. Its disk space is given back when its parts have been read, or by disposing of it. */
export interface FileArchive extends CopyResult, AsyncDisposable {
  /** To be read once. A directory is `./`, a file has its name. */
  readonly parts: AsyncIterable<Buffer>;
}
