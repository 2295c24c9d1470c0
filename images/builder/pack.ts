/** A directory as a tar, with owners and modes as an image has them, whatever user and umask laid it out. */
import { Readable } from 'node:stream';
import { pack } from 'tar-fs';

const [executable, plain] = [0o755, 0o644];
const ownerMayRun = 0o100;

export interface PackOptions {
  /** What a link leads to is packed in its place. */
  readonly dereference?: boolean;
}

/** Packs equal files to equal bytes: times and users are left out. */
export function packTree(directory: string, { dereference = false }: PackOptions = {}): Readable {
  const tar = pack(directory, {
    dereference,
    map: (header) => {
      const runs = header.type === 'directory' || (header.mode & ownerMayRun) !== 0;
      const mode = runs ? executable : plain;
      return { ...header, mode, uid: 0, gid: 0, mtime: new Date(0) };
    },
  });
  // The stream of tar-fs is not one of Node's own.
  return Readable.from(tar, { objectMode: false });
}
