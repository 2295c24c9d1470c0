/** This host's side of a sync. Files that have not been touched since they were last looked at are not read again. */
import { hash } from 'node:crypto';
import { closeSync, type BigIntStats, fstatSync, lstatSync, readFileSync } from 'node:fs';
import { type ByteName, printable } from '../byte-name.ts';
import { breather } from '../breather.ts';
import { DirectoryChain } from '../directory-chain.ts';
import { at, type Directory } from '../directory.ts';
import { fsError } from '../fs-error.ts';
import { openFile } from '../pack.ts';
import { walk, type WalkedEntry } from '../walk.ts';

export interface Known {
  readonly sha256: string;
  readonly stamp: string;
}

export interface HostSide {
  readonly files: ReadonlyMap<ByteName, Known>;
  readonly entries: readonly WalkedEntry[];
}

export async function lookAtHost(
  root: Directory,
  before: ReadonlyMap<ByteName, Known>,
  signal: AbortSignal | undefined,
): Promise<HostSide> {
  const { entries } = await walk(root, signal === undefined ? {} : { signal });
  const breathe = breather(signal);
  const chain = new DirectoryChain(root);
  const files = new Map<ByteName, Known>();
  try {
    for (const { kind, segments } of entries) {
      if (kind !== 'file') continue;
      const path = segments.join('/');
      files.set(path, lookAt(chain, segments, before.get(path)));
      await breathe();
    }
  } finally {
    chain.close();
  }
  return { files, entries };
}

function lookAt(chain: DirectoryChain, segments: readonly ByteName[], before: Known | undefined): Known {
  const name = segments.at(-1) ?? '';
  try {
    const directory = chain.parentOf(segments);
    if (before !== undefined && before.stamp === stampOf(lstatSync(at(directory, name), { bigint: true })))
      return before;
    const { fd } = openFile(directory, name);
    try {
      // The stamp before the content: what changes in between is looked at again next time.
      const stamp = stampOf(fstatSync(fd, { bigint: true }));
      return { stamp, sha256: hash('sha256', readFileSync(fd)) };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw fsError(`read ${printable(segments.join('/'))}`, error);
  }
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}
