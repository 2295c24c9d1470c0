/**
 * File tools of agents: the same on every backend. Paths are inside the sandbox; a relative one starts from the directory in
 * which its commands start. Shapes only.
 */
import type { Readable } from 'node:stream';
import type { Asking, Caller, Said } from '../../values/caller.ts';
import type { SyncResult } from '../sync/types.ts';
import type { CopyResult, FileArchive } from '../copied.ts';
import type { WatchEvent, WatchInput } from '../watch/types.ts';
import type { Change } from './patch.ts';

interface At {
  /** A task id or a sandbox id. */
  readonly task: string;
  /** Path inside the sandbox; relative paths begin at its working directory. */
  readonly path: string;
}

interface Changing {
  /** The caller confirms a path in another profile, or in a copy of the configuration. */
  readonly confirmed?: boolean;
}

interface Cancel {
  /** Ends the call; a change that has not been made is not made then. */
  readonly signal?: AbortSignal;
  /** Client of the service on whose behalf it happens. Absent: the operator. */
  readonly caller?: Caller;
  /** Manner in which the caller waits for a person. */
  readonly question?: Asking;
  /** Rules of this call alone. */
  readonly said?: Said;
}

export interface FileEntry {
  /** Last part of the path; bytes that are not UTF-8 are escaped. */
  readonly name: string;
  /** Kind of entry; a link is never followed here. */
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
  /** Bytes of a file. */
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  /** RFC 3339. */
  readonly modifiedAt: string;
  /** Target of a link, only when the link itself was asked for. */
  readonly target?: string;
}

export interface FileContent {
  /** Bytes that were asked for. */
  readonly bytes: Buffer;
  /** Bytes of the whole file. */
  readonly size: number;
  /** SHA-256 of the whole file, when all of it was read. */
  readonly sha256: string | null;
}

/** A file as it is read, part after part. */
export interface FileStream {
  /** When the first part was read. A file of another size at a later part is a `conflict`, which the parts throw. */
  readonly size: number;
  /** SHA-256 of a file that is one part; `null`: the file has several parts. */
  readonly sha256: string | null;
  /** Content in order; read once. */
  readonly parts: AsyncIterable<Buffer>;
}

/** What is written where it is too much for memory. */
export interface FileSource {
  /** Bytes that the source gives. */
  readonly size: number;
  /** Hexadecimal; what is read is not compared with it. */
  readonly sha256: string;
  /** Opens the content from its beginning; called once for each try. */
  readonly open: () => Readable;
}

export interface FileWritten {
  /** Bytes of the file as it is now. */
  readonly size: number;
  /** SHA-256 of the file as it is now, hexadecimal. */
  readonly sha256: string;
}

export interface Match {
  /** Path of the file, in the form of the request. */
  readonly path: string;
  /** Number of the line, from 1 on. */
  readonly line: number;
  /** The line, cut when it is long. */
  readonly text: string;
}

/** Absent: 64 GiB, and a million files and directories. */
interface TreeLimits {
  /** Bytes of content. */
  readonly bytes?: number;
  /** Files and directories. */
  readonly entries?: number;
}

export interface SyncInput extends Changing {
  /** A task id or a sandbox id. */
  readonly task: string;
  /** A directory of this host, which must be there. */
  readonly host: string;
  /** A directory of the sandbox; made when files go in, and there when they come out. */
  readonly inside: string;
  /** `in`: from this host to the sandbox. `out`: from the sandbox to this host. */
  readonly direction: 'in' | 'out';
  /** Also what was changed at the target since the last sync. */
  readonly overwrite?: boolean;
}

/**
 * Errors: `not_found`, `invalid_argument` (a wrong path, or neither file nor directory), `failed_precondition` (something
 * else is in the way), `conflict` (changed meanwhile), `policy_denied` and `approval_required` for protected places.
 *
 * Rules judge them as `read_file`, `write_file` (also `patch`, `move_file`, `remove_file`), `list_files` and `search_files`, by
 * real path; what is asked for is asked like a command. A move or a removal is judged for everything that goes with it.
 */
export interface FileTools {
  /** At most 16 MiB at a time. Without `length`, 1 MiB. */
  read(input: At & { readonly offset?: number; readonly length?: number }, options?: Cancel): Promise<FileContent>;
  /** The whole of a file of any size, by one admission; 4 MiB are in memory at a time. */
  stream(input: At, options?: Cancel): Promise<FileStream>;
  /** All or nothing, up to 64 MiB; up to 64 GiB from a source. `expected`: the SHA-256 that must be there, `null` for no file; otherwise a `conflict`. Parents are made. */
  write(
    input: At & Changing & { readonly bytes: string | Uint8Array | FileSource; readonly expected?: string | null },
    options?: Cancel,
  ): Promise<FileWritten>;
  /**
   * Edits a text of up to 8 MiB: exact replacements in turn, or a unified diff of one file. It grows to four times its size or
   * by 8 MiB, the larger of them, at most.
   */
  patch(input: At & Changing & Change, options?: Cancel): Promise<FileWritten>;
  /** In the order of names, at most 5,000. */
  list(input: At, options?: Cancel): Promise<{ readonly entries: readonly FileEntry[]; readonly truncated: boolean }>;
  /** Describes a link itself, not its target. */
  stat(input: At, options?: Cancel): Promise<FileEntry>;
  /** Renames a file or directory. Throws `failed_precondition` for a target that exists, unless `replace` is set. */
  move(input: At & Changing & { readonly to: string; readonly replace?: boolean }, options?: Cancel): Promise<void>;
  /** Removes a file, a link or an empty directory; with `recursive`, a directory with its content. */
  remove(input: At & Changing & { readonly recursive?: boolean }, options?: Cancel): Promise<void>;
  /** Lines of files below a directory. Fixed text, or an extended regular expression (POSIX); `name` is a glob. */
  search(
    input: At & { readonly pattern: string; readonly regex?: boolean; readonly name?: string; readonly most?: number },
    options?: Cancel,
  ): Promise<{
    readonly matches: readonly Match[];
    readonly truncated: boolean;
    /** Lines left out, since rules keep their files from being read without asking. */
    readonly withheld: number;
  }>;
  /**
   * Makes one directory what the other is, by content: only files that differ travel, and conflicts stay and are listed. Links
   * and empty directories do not travel. On this host, the mode of a file that is there stays.
   */
  sync(input: SyncInput, options?: Cancel): Promise<SyncResult>;
  /**
   * What changes in a directory, seen by looking at it at an interval: what comes and goes between two looks is not. Resolves
   * after the first look. At most 20,000 entries are compared and 1,000 changes listed at a time. It ends with the sandbox, or
   * when its reader leaves, and does not count as use: a watched sandbox stops when it is idle, as any other. Rules judge
   * it as `list_files` (also `watch_files`).
   */
  watch(input: WatchInput, options?: Cancel): Promise<AsyncIterableIterator<WatchEvent>>;
  /**
   * A file or a directory as an uncompressed tar, which Caisson writes itself: what the sandbox sends is checked whole first, as
   * `copyOut` does. Modes are 0644 and 0755, there are no owners, and links lead to places inside; what is left out is in
   * `skipped`.
   */
  archive(input: At & { readonly limits?: TreeLimits }, options?: Cancel): Promise<FileArchive>;
  /**
   * Unpacks an uncompressed tar into a directory, which is made if only its parent is there. The archive is read to its end
   * and checked before the sandbox is touched: `invalid_argument` for one that is cut, holds a name twice, a name or a link
   * that leads outside, a hard link, a device, or more than the limits.
   *
   * With `name`, the file or directory of that name in the archive is copied to the path by the rules of `copyIn`: into a
   * directory that exists, otherwise as the path itself.
   */
  unpack(
    input: At &
      Changing & { readonly archive: AsyncIterable<Uint8Array>; readonly limits?: TreeLimits; readonly name?: string },
    options?: Cancel,
  ): Promise<CopyResult>;
}
