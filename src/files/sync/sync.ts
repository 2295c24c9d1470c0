/**
 * Makes a directory of the sandbox what a directory of this host is, or the other way round, by content: only files that
 * differ travel. What was changed at the target since the last time stays, and is told.
 */
import { hash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Sandbox } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import { type ByteName, printable, toText } from '../byte-name.ts';
import { copyIn } from '../copy-in.ts';
import { DirectoryChain } from '../directory-chain.ts';
import { at, type Directory } from '../directory.ts';
import { closeDirectory } from '../directory.ts';
import { insidePath } from '../inside-path.ts';
import { findPath } from '../open-path.ts';
import { payloadName } from '../pack.ts';
import { openDestination } from '../place.ts';
import { openStaging } from '../staging.ts';
import { runTool } from '../tools/run.ts';
import { readFile } from '../tools/tools.ts';
import type { Vet } from '../types.ts';
import { type HostSide, type Known, lookAtHost } from './host.ts';
import { hashesInside, makeInside, removeInside, verifyInside } from './inside.ts';
import { type Hashes, planSync, type SyncPlan } from './plan.ts';
import { type Agreed, readAgreed, type SyncPlace, writeAgreed } from './record.ts';
import type { SyncResult } from './types.ts';

export interface SyncOptions {
  readonly home: string;
  readonly sandboxId: string;
  /** A directory of this host that is there. */
  readonly host: string;
  /** A directory of the sandbox; made when files go in. */
  readonly inside: string;
  readonly direction: 'in' | 'out';
  readonly overwrite: boolean;
  readonly untrusted: readonly string[];
  readonly withheld: string | null;
  readonly vet: Vet;
  readonly signal?: AbortSignal | undefined;
}

interface Work {
  readonly sandbox: Sandbox;
  readonly options: SyncOptions;
  readonly inside: string;
  readonly host: HostSide;
  readonly there: Hashes;
  readonly plan: SyncPlan;
}

/** Throws as copies do; also `not_found` for a directory of the host that is not there. */
export async function sync(sandbox: Sandbox, options: SyncOptions): Promise<SyncResult> {
  const inside = insidePath(options.inside).path;
  const place: SyncPlace = { ...options, host: resolve(options.host), inside };
  const found = findPath(place.host, options.untrusted);
  try {
    if (found.kind !== 'directory') throw noDirectory(options.host);
    const before = await readAgreed(place);
    const withheld = below(options.withheld, inside);
    const [host, there] = await Promise.all([
      lookAtHost(found.directory, before, options.signal),
      hashesInside(sandbox, inside, { signal: options.signal, withheld }),
    ]);
    const here = hashesOf(host.files);
    const sides = options.direction === 'in' ? { from: here, to: there } : { from: there, to: here };
    const plan = planSync({ ...sides, agreed: hashesOf(before) }, options.overwrite);
    const work = { sandbox, options, inside, host, there, plan };
    const bytes = options.direction === 'in' ? await sendIn(work) : await fetchOut(work);
    await writeAgreed(place, agreedAfter(work));
    const { send, remove, unchanged } = plan;
    const removed = options.direction === 'in' ? remove.length : 0;
    return { files: send.length, bytes, unchanged, removed, conflicts: told(work) };
  } finally {
    closeDirectory(found.directory);
  }
}

/** `null` when it is not below `root`. */
function below(path: string | null, root: string): ByteName | null {
  const prefix = root === '/' ? root : `${root}/`;
  return path?.startsWith(prefix) === true ? path.slice(prefix.length) : null;
}

function hashesOf(files: HostSide['files']): Hashes {
  return new Map([...files].map(([path, { sha256 }]) => [path, sha256] as const));
}

async function sendIn({ sandbox, options, inside, host, plan }: Work): Promise<number> {
  const { signal } = options;
  const isThere = await makeInside(sandbox, inside, { signal });
  if (isThere) await removeInside(sandbox, inside, { paths: plan.remove, signal });
  if (plan.send.length === 0) return 0;
  const wanted = new Set(plan.send);
  const directories = new Set(plan.send.flatMap(above));
  const { bytes } = await copyIn(sandbox, {
    // A directory that is not there is put in place as a whole, by one rename.
    source: isThere ? `${resolve(options.host)}/.` : resolve(options.host),
    target: inside,
    untrusted: options.untrusted,
    vet: options.vet,
    env: { CAISSON_EXEC: 'sync' },
    only: (path, kind) => (kind === 'directory' ? directories.has(path) : wanted.has(path)),
    ...(signal === undefined ? {} : { signal }),
  });
  const sent = new Map(plan.send.map((path) => [path, host.files.get(path)?.sha256 ?? ''] as const));
  await verifyInside(sandbox, inside, { sent, signal });
  return bytes;
}

/** `a/b/c` -> `a`, `a/b` */
function above(path: ByteName): readonly ByteName[] {
  const segments = path.split('/').slice(0, -1);
  return segments.map((_segment, depth) => segments.slice(0, depth + 1).join('/'));
}

/** Nothing of the host is removed: that a file is gone inside is told. */
async function fetchOut({ sandbox, options, inside, there, plan }: Work): Promise<number> {
  if (plan.send.length === 0) return 0;
  using destination = openDestination(options.host, null, options.untrusted);
  await using staging = await openStaging(destination.base);
  const paths = plan.send.toSorted();
  for (const path of paths) options.vet(path.split('/').map(toText));
  mkdirSync(at(staging.directory, payloadName), 0o700);
  for (const directory of new Set(paths.flatMap(above))) make(staging.directory, directory);
  let bytes = 0;
  for (const path of paths) {
    const content = await contentOf(sandbox, {
      path,
      inside,
      sha256: there.get(path) ?? '',
      signal: options.signal,
      withheld: options.withheld ?? '',
    });
    bytes += content.length;
    write(staging.directory, path, content);
  }
  await destination.place(staging.directory, 'directory');
  return bytes;
}

function make(root: Directory, path: ByteName): void {
  within(root, path, (where) => mkdirSync(where, 0o755));
}

function write(root: Directory, path: ByteName, content: Buffer): void {
  within(root, path, (where) => writeFileSync(where, content, { flag: 'wx', mode: 0o644 }));
}

function within(root: Directory, path: ByteName, act: (where: Buffer) => void): void {
  const chain = new DirectoryChain(root);
  const segments = [payloadName, ...path.split('/')];
  try {
    act(at(chain.parentOf(segments), segments.at(-1) ?? ''));
  } finally {
    chain.close();
  }
}

const portion = 16 * 1024 * 1024;
const mostFileBytes = 256 * 1024 * 1024;

async function contentOf(
  sandbox: Sandbox,
  file: {
    readonly path: ByteName;
    readonly inside: string;
    readonly sha256: string;
    readonly signal: AbortSignal | undefined;
    readonly withheld: string;
  },
): Promise<Buffer> {
  const path = `${file.inside}/${toText(file.path)}`;
  const parts: Buffer[] = [];
  for (let offset = 0, size = 1; offset < size && offset < mostFileBytes; offset += portion) {
    const run = { offset, length: portion, path };
    const read = await readFile(
      (tool) => runTool(sandbox, { ...tool, args: [...tool.args, file.withheld], signal: file.signal }),
      run,
    );
    parts.push(read.bytes);
    ({ size } = read);
  }
  const content = Buffer.concat(parts);
  if (hash('sha256', content) === file.sha256) return content;
  throw new CaissonError('unavailable', `${printable(file.path)} changed while it was copied, or is too large`, {
    remedy: `try again; files of more than ${mostFileBytes} bytes go by copies`,
  });
}

/**
 * What is the same on both sides now. What is in conflict is left out, so that it stays in conflict. What came out of the
 * sandbox has no stamp yet, and is looked at again next time.
 */
function agreedAfter({ options, host, there, plan }: Work): Agreed {
  const same = [...host.files].filter(([path, { sha256 }]) => there.get(path) === sha256);
  const moved = plan.send.map((path): readonly [ByteName, Known] => {
    const known = options.direction === 'in' ? host.files.get(path) : undefined;
    return [path, known ?? { sha256: there.get(path) ?? '', stamp: '' }];
  });
  return new Map([...same, ...moved]);
}

function told({ options, plan }: Work): SyncResult['conflicts'] {
  const where = options.direction === 'in' ? 'in the sandbox' : 'on this host';
  const changed = plan.conflicts.map((path) => ({ path: printable(path), why: `it was changed ${where} too` }));
  if (options.direction === 'in') return changed;
  const why = 'it is gone in the sandbox; nothing is removed on this host';
  return [...changed, ...plan.remove.map((path) => ({ path: printable(path), why }))];
}

function noDirectory(path: string): CaissonError {
  return new CaissonError('not_found', `${path} is no directory of this host`, { remedy: 'make it first' });
}
