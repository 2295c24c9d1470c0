/** A copy of the chain, and how long it is. */
import { closeSync, createReadStream, createWriteStream, existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileNames, headName, openHead, writeHead } from './files.ts';
import type { AuditFigures } from './types.ts';
import { headIn, type Snapshot } from './verify.ts';

/** Closes the files of the snapshot. What is appended meanwhile is not in the copy. */
export async function copySnapshot({ files, head }: Snapshot, directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
    for (const { name, fd, size } of files) await copyFile(fd, { size, path: join(directory, name) });
    if (head === null) return;
    const copied = openHead(directory);
    writeHead(copied, head);
    closeSync(copied);
  } finally {
    for (const { fd } of files) closeSync(fd);
  }
}

async function copyFile(fd: number, { size, path }: { readonly size: number; readonly path: string }): Promise<void> {
  const from = size === 0 ? [] : createReadStream('', { fd, autoClose: false, start: 0, end: size - 1 });
  await pipeline(from, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
}

/** Without the lock: a record that is being written counts or does not. */
export function figuresIn(directory: string): AuditFigures {
  if (!existsSync(join(directory, headName))) return { records: 0, bytes: 0 };
  const sizes = fileNames(directory).map(
    (name) => statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0,
  );
  return { records: headIn(directory)?.seq ?? 0, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
