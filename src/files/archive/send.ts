/**
 * A file or a directory of a sandbox as a tar of Caisson's own. What the sandbox sends goes through the strict extractor onto
 * the disk of the service first, and only what stands there is packed: no byte of a header is the sandbox's.
 */
import { join } from 'node:path';
import type { Sandbox } from '../../backend.ts';
import type { Share } from '../../budget/types.ts';
import { fromText } from '../byte-name.ts';
import { closeDirectory, openChild } from '../directory.ts';
import { copyOut, type CopyOutOptions } from '../copy-out.ts';
import { insidePath, sourceName } from '../inside-path.ts';
import { openFile, packFile, packTree, payloadName } from '../pack.ts';
import { countedStaging, type PrivateStaging } from '../private-staging.ts';
import type { CopyResult, FileArchive } from '../types.ts';
import { walk } from '../walk.ts';

export interface ArchiveOptions extends Pick<CopyOutOptions, 'limits' | 'withheld' | 'vet' | 'env' | 'signal'> {
  /** Absolute path in the sandbox. */
  readonly path: string;
  /** Below the state directory. */
  readonly directory: string;
  /** What the owner may have on its way: it grows with the bytes, and is freed when they are gone. */
  readonly share: Share;
}

/** Throws what a copy from the sandbox throws, before the first part is given. */
export async function openArchive(
  sandbox: Sandbox,
  { path, directory, share, ...options }: ArchiveOptions,
): Promise<FileArchive> {
  const staging = await countedStaging(directory, share);
  const onBytes = (bytes: number): void => share.grow(bytes);
  try {
    const target = join(staging.path, payloadName);
    const result = await copyOut(sandbox, { ...options, onBytes, source: path, target, symlinks: 'inside' });
    return archiveOf(staging, result, sourceName(path, insidePath(path).path) ?? payloadName);
  } catch (error) {
    await staging[Symbol.asyncDispose]();
    throw error;
  }
}

function archiveOf(staging: PrivateStaging, result: CopyResult, name: string): FileArchive {
  let disposed: Promise<void> | null = null;
  const dispose = (): Promise<void> => (disposed ??= Promise.resolve(staging[Symbol.asyncDispose]()));
  const chunks = result.directories === 0 ? fileChunks(staging, name) : treeChunks(staging);
  return { ...result, parts: partsOf(chunks, dispose), [Symbol.asyncDispose]: dispose };
}

/** Copies: the packer uses its chunks again. */
async function* partsOf(
  chunks: AsyncIterable<Buffer>,
  dispose: () => Promise<void>,
): AsyncGenerator<Buffer, void, void> {
  try {
    for await (const chunk of chunks) yield Buffer.from(chunk);
  } finally {
    await dispose();
  }
}

const uncounted = (): void => {};

async function* treeChunks({ directory }: PrivateStaging): AsyncGenerator<Buffer, void, undefined> {
  const root = openChild(directory, payloadName);
  try {
    const { entries } = await walk(root);
    yield* packTree({ root, entries, onBytes: uncounted, form: { root: '.', marked: false } });
  } finally {
    closeDirectory(root);
  }
}

function fileChunks({ directory }: PrivateStaging, name: string): AsyncGenerator<Buffer, void, undefined> {
  return packFile(openFile(directory, payloadName), {
    onBytes: uncounted,
    form: { root: fromText(name), marked: false },
  });
}
