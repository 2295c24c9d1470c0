/**
 * Makes a directory of the sandbox what a directory of this host is, or the other way round, by content: only files that
 * differ travel. What was changed at the target since the last time stays, and is reported.
 */
import { resolve } from 'node:path';
import type { Sandbox } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import { type ByteName, printable } from '../byte-name.ts';
import { copyIn } from '../copy-in.ts';
import { closeDirectory, type Directory } from '../directory.ts';
import { insidePath } from '../inside-path.ts';
import { findPath } from '../open-path.ts';
import type { Vet } from '../types.ts';
import { fetchOut } from './fetch-out.ts';
import { type HostSide, type HashedFile, lookAtHost } from './host.ts';
import { type InsideSide, lookInside, makeInside, removeInside, verifyInside } from './inside.ts';
import { above } from './names.ts';
import { type Hashes, planSync, type SyncPlan } from './plan.ts';
import { type Agreed, agreedIn, placedIn, placing, readAgreed, type SyncPlace, writeAgreed } from './record.ts';
import type { SyncResult } from './types.ts';
import { blockedBy, directoriesToGo } from './way.ts';
import { given } from '../../lib/given.ts';

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

interface Plan extends SyncPlan {
  /** Something else is in their place at the target. */
  readonly blocked: ReadonlySet<ByteName>;
}

interface Work {
  readonly sandbox: Sandbox;
  readonly options: SyncOptions;
  readonly root: Directory;
  readonly inside: string;
  readonly host: HostSide;
  readonly there: InsideSide;
  readonly plan: Plan;
}

/** Throws as copies do; also `not_found` for a directory that files are to come from and that is not there. */
export async function sync(sandbox: Sandbox, options: SyncOptions): Promise<SyncResult> {
  const inside = insidePath(options.inside).path;
  const place: SyncPlace = { ...options, host: resolve(options.host), inside };
  const found = findPath(place.host, options.untrusted);
  try {
    if (found.kind !== 'directory') throw noDirectoryError(options.host);
    const { direction, signal } = options;
    const before = await readAgreed(place);
    const withheld = below(options.withheld, inside);
    const [host, there] = await Promise.all([
      lookAtHost(found.directory, before, signal),
      lookInside(sandbox, inside, { signal, withheld, must: direction === 'out' }),
    ]);
    const plan = planOf({ options, host, there, before });
    const work = { sandbox, options, root: found.directory, inside, host, there, plan };
    if (plan.send.length > 0) await writeAgreed(place, placing(before, direction, looked(work)));
    const { bytes, sent } = direction === 'in' ? await sendIn(work) : await bringOut(work);
    await writeAgreed(place, agreedAfter(work, before, sent));
    const { send, remove, unchanged } = plan;
    return {
      files: send.length,
      bytes,
      unchanged,
      removed: direction === 'in' ? remove.length : 0,
      conflicts: conflictsOf(work),
    };
  } finally {
    closeDirectory(found.directory);
  }
}

/** `null` when it is not below `root`. */
function below(path: string | null, root: string): ByteName | null {
  const prefix = root === '/' ? root : `${root}/`;
  return path?.startsWith(prefix) === true ? path.slice(prefix.length) : null;
}

function planOf({
  options: { direction, overwrite },
  host,
  there,
  before,
}: Pick<Work, 'options' | 'host' | 'there'> & { readonly before: Agreed }): Plan {
  const here = hashesOf(host.files);
  const sides = direction === 'in' ? { from: here, to: there.files } : { from: there.files, to: here };
  const plan = planSync({ ...sides, agreed: agreedIn(before), placed: placedIn(before, direction) }, overwrite);
  const target = direction === 'in' ? there : { ...host, files: here };
  const blocked = blockedBy(target, plan, { overwrite, removes: direction === 'in' });
  return { ...plan, blocked, send: plan.send.filter((path) => !blocked.has(path)) };
}

function hashesOf(files: HostSide['files']): Hashes {
  return new Map([...files].map(([path, { sha256 }]) => [path, sha256] as const));
}

/** What is to be sent, as it was when both sides were looked at. */
function looked({ options, host, there, plan }: Work): Hashes {
  const hashOf = (path: ByteName): string | undefined =>
    options.direction === 'in' ? host.files.get(path)?.sha256 : there.files.get(path);
  return new Map(plan.send.map((path) => [path, hashOf(path) ?? ''] as const));
}

interface Moved {
  readonly bytes: number;
  /** Hashes of the files as they were sent. */
  readonly sent: Hashes;
}

async function sendIn({ sandbox, options, inside, host, there, plan }: Work): Promise<Moved> {
  const { signal } = options;
  const isThere = await makeInside(sandbox, inside, { signal });
  const directories = directoriesToGo({ ...there }, host.directories, plan);
  if (isThere) await removeInside(sandbox, inside, { files: plan.remove, directories, signal });
  const sent = new Map<ByteName, string>();
  if (plan.send.length === 0) return { bytes: 0, sent };
  const wanted = new Set(plan.send);
  const wantedDirectories = new Set(plan.send.flatMap(above));
  const { bytes } = await copyIn(sandbox, {
    // A directory that is not there is put in place as a whole, by one rename.
    source: isThere ? `${resolve(options.host)}/.` : resolve(options.host),
    target: inside,
    untrusted: options.untrusted,
    vet: options.vet,
    env: { CAISSON_EXEC: 'sync' },
    only: (path, kind) => (kind === 'directory' ? wantedDirectories.has(path) : wanted.has(path)),
    onFile: (path, sha256) => sent.set(path, sha256),
    ...given({ signal }),
  });
  await verifyInside(sandbox, inside, { sent, signal });
  return { bytes, sent };
}

async function bringOut(work: Work): Promise<Moved> {
  const { sandbox, options, root, inside, there, plan } = work;
  const bytes = await fetchOut(sandbox, { ...options, paths: plan.send, root, inside, there });
  return { bytes, sent: looked(work) };
}

/**
 * What is the same on both sides now. What is in conflict stays as it was agreed on last, so that it stays in conflict.
 * What came out of the sandbox, or changed on its way there, has no stamp, and is looked at again next time.
 */
function agreedAfter({ options, host, there, plan }: Work, before: Agreed, sent: Hashes): Agreed {
  const inConflict = [...plan.conflicts, ...plan.blocked, ...(options.direction === 'out' ? plan.remove : [])];
  const kept = inConflict.flatMap((path) => {
    const last = before.get(path);
    return last === undefined ? [] : [[path, last] as const];
  });
  const same = [...host.files].filter(([path, { sha256 }]) => there.files.get(path) === sha256);
  const moved = [...sent].map(([path, sha256]): readonly [ByteName, HashedFile] => {
    const known = options.direction === 'in' ? host.files.get(path) : undefined;
    return [path, known?.sha256 === sha256 ? known : { sha256, stamp: '' }];
  });
  return new Map([...kept, ...same, ...moved]);
}

function conflictsOf({ options, host, there, plan }: Work): SyncResult['conflicts'] {
  const say = (paths: Iterable<ByteName>, why: string): SyncResult['conflicts'] =>
    [...paths].map((path) => ({ path: printable(path), why }));
  const where = options.direction === 'in' ? 'in the sandbox' : 'on this host';
  return [
    ...say(plan.conflicts, `it was changed ${where} too`),
    ...say(plan.blocked, `something else is in its place ${where}`),
    ...say(
      (options.direction === 'in' ? host : there).odd,
      'its name cannot be compared between the two; copy it instead',
    ),
    ...(options.direction === 'in'
      ? []
      : say(plan.remove, 'it is gone in the sandbox; nothing is removed on this host')),
  ];
}

function noDirectoryError(path: string): CaissonError {
  return new CaissonError('not_found', `${path} is no directory of this host`, { remedy: 'make it first' });
}
