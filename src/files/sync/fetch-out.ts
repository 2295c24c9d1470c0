/** Files of a sync that come out of the sandbox. Nothing of the host is removed. */
import { hash } from 'node:crypto';
import { chmodSync, chownSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
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
  for (const path of paths) {
    const content = await contentOf(sandbox, fetch, path);
    bytes += content.length;
    write(staging.directory, fetch, { path, content });
  }
  await destination.place(staging.directory, 'directory');
  return bytes;
}

interface File {
  readonly path: ByteName;
  readonly content: Buffer;
}

/** Mode and owner of a file that is there stay. What can be run inside can be run here, by whoever may read it. */
function write(staging: Directory, { root, there }: Fetch, { path, content }: File): void {
  const old = oldOf(root, path);
  const program = there.programs.has(path);
  within(staging, `${payloadName}/${path}`, (where) => {
    writeFileSync(where, content, { flag: 'wx', mode: old === null ? (program ? 0o755 : 0o644) : 0o600 });
    if (old === null) return;
    own(where, old);
    const mode = old.mode & 0o777;
    chmodSync(where, program ? mode | ((mode & 0o444) >> 2) : mode);
  });
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

/** Whoever may not give files away replaces them by files of his own. */
function own(where: Buffer, { uid, gid }: Old): void {
  try {
    chownSync(where, uid, gid);
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

const portion = 16 * 1024 * 1024;
const mostFileBytes = 256 * 1024 * 1024;

async function contentOf(
  sandbox: Sandbox,
  { inside, there, withheld, signal }: Fetch,
  file: ByteName,
): Promise<Buffer> {
  const path = `${inside}/${toText(file)}`;
  const parts: Buffer[] = [];
  for (let offset = 0, size = 1; offset < size && offset < mostFileBytes; offset += portion) {
    const run = { offset, length: portion, path };
    const read = await readFile(
      (tool) => runTool(sandbox, { ...tool, args: [...tool.args, withheld ?? ''], signal }),
      run,
    );
    parts.push(read.bytes);
    ({ size } = read);
  }
  const content = Buffer.concat(parts);
  if (hash('sha256', content) === there.files.get(file)) return content;
  throw new CaissonError('unavailable', `${printable(file)} changed while it was copied, or is too large`, {
    remedy: `try again; files of more than ${mostFileBytes} bytes go by copies`,
  });
}
