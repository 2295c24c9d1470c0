/** What the files room answers. */
export type { FileTools } from './tools/types.ts';

export interface CopyResult {
  readonly files: number;
  readonly directories: number;
  readonly bytes: number;
  /** Entries that were left out, with the reason: links, devices, sockets. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

/** Sees every path of a tree before anything of it is written where it goes; throws to refuse the copy. */
export type Vet = (inTree: readonly string[]) => void;

/** Whether an entry of a tree goes along, by its path below the root, one character a byte. */
export type Only = (path: string, kind: 'file' | 'directory' | 'symlink') => boolean;
