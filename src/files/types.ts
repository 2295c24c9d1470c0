/** What the files room answers. */
export type { CopyResult, FileArchive } from './copied.ts';
export type { FileTools } from './tools/types.ts';

/** Sees every path of a tree before anything of it is written where it goes; throws to refuse the copy. */
export type Vet = (inTree: readonly string[]) => void;

/** Whether an entry of a tree goes along, by its path below the root, one character a byte. */
export type Only = (path: string, kind: 'file' | 'directory' | 'symlink') => boolean;
