/** Files of a sync that come out of the sandbox. Nothing of the host is removed. */
import { createHash } from 'node:crypto';
import { closeSync, fchmodSync, fchownSync, lstatSync, mkdirSync, openSync, writeSync } from 'node:fs';
import type { Sandbox } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import { type ByteName, printable, toText } from '../byte-name.ts';
import { DirectoryChain } from '../directory-chain.ts';
import { at, type Directory } from '../directory.ts';
import { errnoOf, fsError } from '../fs-error.ts';
import { payloadName } from '../pack.ts';
import { openDestination } from '../place.ts';
import { openStaging } from '../staging.ts';
import { runTool } from '../tools/run.ts';
import { readFile } from '../tools/tools.ts';
import type { Vet } from '../types.ts';
import type { InsideSide } from './inside.ts';
import { above } from './names.ts';

export interface Fetch {
  readonly paths: readonly ByteName[];
  /** The directory of the host, also as the caller names it. */
  readonly root: Directory;
  readonly host: string;
  readonly inside: string;
  readonly there: Pick<InsideSide, 'files' | 'programs'>;
  readonly untrusted: readonly string[];
  readonly withheld: string | null;
  readonly vet: Vet;
  readonly signal?: AbortSignal | undefined;
}

/** Bytes that came. */
export async function fetchOut(sandbox: Sandbox, fetch: Fetch): Promise<number> {
  if (fetch.paths.length === 0) return 0;
  using destination = openDestination(fetch.host, null, fetch.untrusted);
  await using staging = await openStaging(destination.base);
  const paths = fetch.paths.toSorted();
  for (const path of paths) fetch.vet(path.split('/').map(toText));
  mkdirSync(at(staging.directory, payloadName), 0o700);
  for (const directory of new Set(paths.flatMap(above)))
    within(staging.directory, `${payloadName}/${directory}`, (where) => mkdirSync(where, 0o755));
  let bytes = 0;
  for (const path of paths) bytes += await fetchOne(sandbox, fetch, { path, staging: staging.directory });
  await destination.place(staging.directory, 'directory');
  return bytes;
}

interface Staged {
  readonly path: ByteName;
  readonly staging: Directory;
}

/** Mode and owner of a file that is there stay. What can be run inside can be run here, by users who may read it. */
async function fetchOne(sandbox: Sandbox, fetch: Fetch, { path, staging }: Staged): Promise<number> {
  const old = oldOf(fetch.root, path);
  const program = fetch.there.programs.has(path);
  const mode = old === null ? (program ? 0o755 : 0o644) : 0o600;
  const file = within(staging, `${payloadName}/${path}`, (where) => openSync(where, 'wx', mode));
  try {
    const bytes = await receive(sandbox, fetch, { path, file });
    if (old !== null) own(file, old);
    if (old !== null) fchmodSync(file, program ? (old.mode & 0o777) | ((old.mode & 0o444) >> 2) : old.mode & 0o777);
    return bytes;
  } finally {
    closeSync(file);
  }
}

interface Old {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

function oldOf(root: Directory, path: ByteName): Old | null {
  try {
    return within(root, path, (where) => {
      const stats = lstatSync(where);
      return stats.isFile() ? stats : null;
    });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw fsError(`look at ${printable(path)}`, error);
  }
}

/** A user who may not give files away replaces them by files of its own. */
function own(file: number, { uid, gid }: Old): void {
  try {
    fchownSync(file, uid, gid);
  } catch (error) {
    if (errnoOf(error) !== 'EPERM') throw error;
  }
}

function within<T>(root: Directory, path: ByteName, act: (where: Buffer) => T): T {
  const chain = new DirectoryChain(root);
  const segments = path.split('/');
  try {
    return act(at(chain.parentOf(segments), segments.at(-1) ?? ''));
  } finally {
    chain.close();
  }
}

const portion = 4 * 1024 * 1024;
const maxFileBytes = 256 * 1024 * 1024;

/** Bytes that were written. In portions, so that no size that the sandbox names takes memory here. */
async function receive(
  sandbox: Sandbox,
  { inside, there, withheld, signal }: Fetch,
  { path, file }: { readonly path: ByteName; readonly file: number },
): Promise<number> {
  const digest = createHash('sha256');
  const wanted = { path: `${inside}/${toText(path)}`, length: portion };
  let offset = 0;
  for (let size = 1; offset < size && offset < maxFileBytes;) {
    const read = await readFile((tool) => runTool(sandbox, { ...tool, args: [...tool.args, withheld ?? ''], signal }), {
      ...wanted,
      offset,
    });
    if (read.bytes.length === 0) break;
    writeAll(file, read.bytes);
    digest.update(read.bytes);
    offset += read.bytes.length;
    ({ size } = read);
  }
  if (digest.digest('hex') === there.files.get(path)) return offset;
  throw new CaissonError('unavailable', `${printable(path)} changed while it was copied, or is too large`, {
    remedy: `try again; files of more than ${maxFileBytes} bytes go by copies`,
  });
}

function writeAll(file: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
}
