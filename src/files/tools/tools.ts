/** File tools on one sandbox. What may be changed is decided before; what may not be seen is `withheld`. */
import { hash, randomBytes } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { Share } from '../../budget/types.ts';
import { CaissonError, type Details } from '../../errors.ts';
import { insidePath } from '../inside-path.ts';
import { parseList, parseMatches, parseRead, parseStat } from './parse.ts';
import { maxGrown } from './unfit.ts';
import { applyChange, type Change } from './patch.ts';
import { outputTooLargeError, type ToolEnd, type ToolRun } from './run.ts';
import type { FileContent, FileEntry, FileSource, FileTools, FileWritten } from './types.ts';

/** Runs a script in the sandbox, by whatever way it takes to have one. `withheld` becomes the last argument. */
export type Run = (run: ToolRun & { readonly withholds?: boolean }) => Promise<ToolEnd>;

type Input<Name extends keyof FileTools> = Omit<Parameters<FileTools[Name]>[0], 'task' | 'confirmed'>;

const defaultRead = 1024 * 1024;
const maxRead = 16 * 1024 * 1024;
const maxPatched = 8 * 1024 * 1024;
const maxWritten = 64 * 1024 * 1024;
const maxSource = 64 * 1024 ** 3;
const maxEntries = 5000;
const defaultMatches = 200;
const maxMatches = 10_000;
const longestLine = 2000;
const maxFound = 8 * 1024 * 1024;
/** The number and a newline. */
export const longestSize = 24;

/** What a read holds in memory at most; of a length that is refused, nothing. */
export function bytesOfRead({ length = defaultRead }: Pick<Input<'read'>, 'length'>): number {
  return length >= 0 && length <= maxRead ? Math.floor(length) : 0;
}

export async function readFile(
  run: Run,
  { path, offset = 0, length = defaultRead }: Input<'read'>,
): Promise<FileContent> {
  if (!Number.isSafeInteger(offset) || offset < 0 || !(length >= 0 && length <= maxRead))
    throw fileInputError(`a read begins at 0 or later and takes at most ${maxRead} bytes`, tooLarge(maxRead));
  const wanted = Math.floor(length);
  const args = [insidePath(path).path, String(offset + 1), String(wanted)] as const;
  const max = wanted + longestSize;
  const said = await succeeded(run({ script: 'read', args: [...args], withholds: true, max }));
  const { size, bytes } = parseRead(said);
  if (bytes.length > wanted) throw outputTooLargeError();
  return { bytes, size, sha256: offset === 0 && bytes.length === size ? hash('sha256', bytes) : null };
}

export async function writeFile(run: Run, { path, bytes, expected }: Input<'write'>): Promise<FileWritten> {
  const { size, sha256, input } = isSource(bytes) ? sourceOf(bytes) : contentOf(bytes);
  if (typeof expected === 'string' && !/^[0-9a-f]{64}$/.test(expected))
    throw fileInputError('the expected digest is not a SHA-256 in hexadecimal digits');
  const there = expected === undefined ? '' : (expected ?? 'none');
  const scratch = `.caisson-${randomBytes(8).toString('hex')}`;
  const args = [fileName(path), String(size), there, 'parents', scratch] as const;
  await succeeded(run({ script: 'write', args: [...args], input, inputBytes: size }));
  return { size, sha256 };
}

type Content = Input<'write'>['bytes'];

const isSource = (bytes: Content): bytes is FileSource =>
  typeof bytes === 'object' && 'open' in bytes && typeof bytes.open === 'function';

function contentOf(bytes: Exclude<Content, FileSource>): FileWritten & { readonly input: Buffer } {
  if (typeof bytes !== 'string' && !ArrayBuffer.isView(bytes)) throw fileInputError('what is written is text or bytes');
  const content = Buffer.from(bytes);
  if (content.length > maxWritten)
    throw fileInputError(`a file tool writes at most ${maxWritten} bytes; copy larger files in`, tooLarge(maxWritten));
  return { size: content.length, sha256: hash('sha256', content), input: content };
}

function sourceOf({ size, sha256, open }: FileSource): FileWritten & { readonly input: () => Readable } {
  if (!(size >= 0 && size <= maxSource))
    throw fileInputError(`a file tool writes at most ${maxSource} bytes`, tooLarge(maxSource));
  return { size, sha256, input: open };
}

/** Waits until so many bytes may be held in memory. */
export type Hold = (bytes: number) => Promise<Share>;

/** Held before the file is read. It is enough for a file of a mebibyte; a larger one takes more, or is refused. */
const heldFirst = maxGrown(1024 * 1024);

export async function patchFile(
  { run, hold }: { readonly run: Run; readonly hold: Hold },
  { path, ...change }: { readonly path: string } & Change,
): Promise<FileWritten> {
  const share = await hold(heldFirst);
  try {
    const { bytes, sha256 } = await readFile(run, { path, length: maxPatched });
    if (sha256 === null || !isUtf8(bytes))
      throw fileInputError(`only text of up to ${maxPatched} bytes can be patched`);
    share.resize(maxGrown(bytes.length));
    const patched = await applyChange(bytes.toString(), change);
    return await writeFile(run, { path, bytes: patched, expected: sha256 });
  } finally {
    share.free();
  }
}

export async function listDirectory(
  run: Run,
  { path }: Input<'list'>,
): Promise<{ readonly entries: readonly FileEntry[]; readonly truncated: boolean }> {
  const args = [insidePath(path).path, String(maxEntries + 1)] as const;
  const entries = parseList(await succeeded(run({ script: 'list', args: [...args] })));
  const inOrder = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { entries: inOrder.slice(0, maxEntries), truncated: entries.length > maxEntries };
}

export async function statFile(run: Run, { path }: Input<'stat'>): Promise<FileEntry> {
  const clean = insidePath(path).path;
  return parseStat(clean, await succeeded(run({ script: 'stat', args: [clean] })));
}

export async function moveFile(run: Run, { path, to, replace = false }: Input<'move'>): Promise<void> {
  await succeeded(run({ script: 'move', args: [fileName(path), fileName(to), replace ? 'replace' : ''] }));
}

export async function removeFile(run: Run, { path, recursive = false }: Input<'remove'>): Promise<void> {
  await succeeded(run({ script: 'remove', args: [fileName(path), recursive ? 'recursive' : ''] }));
}

export async function searchFiles(run: Run, input: Input<'search'>): ReturnType<FileTools['search']> {
  const { path, pattern, regex = false, name = '*', most: max = defaultMatches } = input;
  if (pattern === '' || /[\0\n]/.test(pattern) || /[\0\n/]/.test(name))
    throw fileInputError('a pattern is one line, and a glob of names has no slash');
  if (!(max >= 1 && max <= maxMatches)) throw fileInputError(`a search gives from 1 to ${maxMatches} lines`);
  const args = [insidePath(path).path, pattern, regex ? 'E' : 'F', name, String(Math.floor(max) + 1)] as const;
  const said = await succeeded(run({ script: 'search', args: [...args], withholds: true, max: maxFound }));
  const matches = parseMatches(said, longestLine);
  return { matches: matches.slice(0, max), truncated: matches.length > max, withheld: 0 };
}

async function succeeded(running: Promise<ToolEnd>): Promise<Buffer> {
  const { bytes, failure } = await running;
  if (failure !== null) throw failure;
  return bytes;
}

/** Last part of a path that can be made, moved or removed. */
function fileName(path: string): string {
  const { path: clean } = insidePath(path);
  if (clean === '/') throw fileInputError('the root directory is not a file');
  return clean;
}

/** For programs that divide what is too much. */
const tooLarge = (max: number): Details => ({ reason: 'too-large', most: max });

function fileInputError(message: string, details: Details = {}): CaissonError {
  return new CaissonError('invalid_argument', message, { details });
}
