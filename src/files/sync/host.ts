/** This host's side of a sync. Files that have not been touched since they were last looked at are not read again. */
import { createHash } from 'node:crypto';
import { closeSync, type BigIntStats, fstatSync, lstatSync, readSync } from 'node:fs';
import { type ByteName, printable } from '../byte-name.ts';
import { yieldOften } from '../yield-often.ts';
import { DirectoryChain } from '../directory-chain.ts';
import { at, type Directory } from '../directory.ts';
import { fsError } from '../fs-error.ts';
import { openFile } from '../pack.ts';
import { walk } from '../walk.ts';
import { canSync } from './names.ts';
import type { Layout } from './way.ts';
import { given } from '../../lib/given.ts';

export interface HashedFile {
  readonly sha256: string;
  readonly stamp: string;
}

export interface HostSide extends Layout {
  readonly files: ReadonlyMap<ByteName, HashedFile>;
  /** Files whose names cannot be compared. */
  readonly odd: readonly ByteName[];
}

const portionBytes = 1024 * 1024;

export async function lookAtHost(
  root: Directory,
  before: ReadonlyMap<ByteName, HashedFile>,
  signal: AbortSignal | undefined,
): Promise<HostSide> {
  const { entries, leftOut } = await walk(root, given({ signal }));
  const pathsOf = (wanted: string): ByteName[] =>
    entries.flatMap(({ kind, segments }) => (kind === wanted ? [segments.join('/')] : []));
  const yieldNow = yieldOften(signal);
  const chain = new DirectoryChain(root);
  const portion = Buffer.allocUnsafe(portionBytes);
  const files = new Map<ByteName, HashedFile>();
  const odd: ByteName[] = [];
  try {
    for (const path of pathsOf('file')) {
      if (canSync(path)) files.set(path, await lookAt({ chain, portion, yieldNow }, path, before.get(path)));
      else odd.push(path);
      await yieldNow();
    }
  } finally {
    chain.close();
  }
  const others = new Set([...pathsOf('symlink'), ...leftOut, ...odd]);
  return { files, directories: new Set(pathsOf('directory')), others, odd };
}

interface Looking {
  readonly chain: DirectoryChain;
  readonly portion: Buffer;
  readonly yieldNow: () => Promise<unknown> | undefined;
}

async function lookAt(looking: Looking, path: ByteName, before: HashedFile | undefined): Promise<HashedFile> {
  const segments = path.split('/');
  const name = segments.at(-1) ?? '';
  try {
    const directory = looking.chain.parentOf(segments);
    if (before !== undefined && before.stamp === stampOf(lstatSync(at(directory, name), { bigint: true })))
      return { sha256: before.sha256, stamp: before.stamp };
    const { fd } = openFile(directory, name);
    try {
      // The stamp before the content: what changes in between is looked at again next time.
      const stamp = stampOf(fstatSync(fd, { bigint: true }));
      return { stamp, sha256: await hashFile(fd, looking) };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw fsError(`read ${printable(path)}`, error);
  }
}

/** In portions: Node reads no file of more than 2 GiB at once. */
async function hashFile(fd: number, { portion, yieldNow }: Looking): Promise<string> {
  const digest = createHash('sha256');
  for (let read = readSync(fd, portion); read > 0; read = readSync(fd, portion)) {
    digest.update(portion.subarray(0, read));
    if (read === portion.length) await yieldNow();
  }
  return digest.digest('hex');
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}
