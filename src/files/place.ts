/** Puts a complete copy in its place on the host, by rename: old or new, never half. */
import { lstatSync, mkdirSync, renameSync } from 'node:fs';
import { resolve } from 'node:path';
import { CaissonError } from '../errors.ts';
import { yieldOften } from './yield-often.ts';
import { type ByteName, fromText, printable } from './byte-name.ts';
import { DirectoryChain } from './directory-chain.ts';
import { at, closeDirectory, type Directory, openChild } from './directory.ts';
import { errnoOf, fsError } from './fs-error.ts';
import { findPath } from './open-path.ts';
import { payloadName } from './pack.ts';
import { walk, type WalkedEntry } from './walk.ts';

export interface Destination extends Disposable {
  /** Directory that holds the staging directory. */
  readonly base: Directory;
  /** Puts `payload` of the staging directory in place. */
  place(staging: Directory, root: 'file' | 'directory'): Promise<void>;
}

/** `name`: what the source is called, `null` for the content of a directory. */
export function openDestination(target: string, name: string | null, untrusted: readonly string[]): Destination {
  const found = findPath(resolve(target), untrusted);
  const base = found.directory;
  const final = found.kind === 'directory' ? (name === null ? null : fromText(name)) : found.name;
  const mustBeDirectory = /\/\.?$/.test(target);
  return {
    base,
    async place(staging, root) {
      if (final === null) return merge(staging, base);
      if (root === 'directory') return placeTree(staging, base, final);
      if (mustBeDirectory && found.kind !== 'directory')
        throw placeBlockedError('not_found', final, 'is not a directory that exists');
      return placeFile(staging, base, final);
    },
    [Symbol.dispose]() {
      closeDirectory(base);
    },
  };
}

/** A link at the place is replaced, not followed. */
function placeFile(staging: Directory, base: Directory, name: ByteName): void {
  const kind = kindOf(base, name);
  if (kind === 'directory')
    throw placeBlockedError('failed_precondition', name, 'is a directory, and the source is a file');
  rename({ directory: staging, name: payloadName }, { directory: base, name });
}

async function placeTree(staging: Directory, base: Directory, name: ByteName): Promise<void> {
  const kind = kindOf(base, name);
  if (kind === 'other')
    throw placeBlockedError('failed_precondition', name, 'is not a directory, and the source is one');
  if (kind === 'none') return rename({ directory: staging, name: payloadName }, { directory: base, name });
  const existing = openChild(base, name);
  try {
    await merge(staging, existing);
  } finally {
    closeDirectory(existing);
  }
}

/** File by file into a tree that exists, each one old or new. What cannot work is found before anything is changed. */
async function merge(staging: Directory, to: Directory): Promise<void> {
  const from = openChild(staging, payloadName);
  const chains = { from: new DirectoryChain(from), to: new DirectoryChain(to) };
  try {
    const { entries } = await walk(from);
    await each(entries, (entry) => checkMerge(chains.to, entry));
    await each(entries, (entry) => mergeOne(chains, entry));
  } finally {
    chains.from.close();
    chains.to.close();
    closeDirectory(from);
  }
}

async function each(entries: readonly WalkedEntry[], act: (entry: WalkedEntry) => void): Promise<void> {
  const yieldNow = yieldOften(undefined);
  for (const entry of entries) {
    act(entry);
    await yieldNow();
  }
}

function checkMerge(to: DirectoryChain, { kind, segments }: WalkedEntry): void {
  const existing = kindBelow(to, segments);
  if (existing === 'none' || (existing === 'directory') === (kind === 'directory')) return;
  throw placeBlockedError(
    'failed_precondition',
    segments.join('/'),
    existing === 'directory' ? 'is a directory' : 'is not a directory',
  );
}

function kindBelow(to: DirectoryChain, segments: readonly ByteName[]): Kind {
  try {
    return kindOf(to.parentOf(segments), segments.at(-1) ?? '');
  } catch (error) {
    // Its directory is not there yet.
    if (errnoOf(error) === 'ENOENT') return 'none';
    throw fsError(`look at ${printable(segments.join('/'))}`, error);
  }
}

function mergeOne(
  chains: { readonly from: DirectoryChain; readonly to: DirectoryChain },
  { kind, segments }: WalkedEntry,
): void {
  const name = segments.at(-1) ?? '';
  const directory = chains.to.parentOf(segments);
  if (kind !== 'directory') rename({ directory: chains.from.parentOf(segments), name }, { directory, name });
  else if (kindOf(directory, name) === 'none') mkdirSync(at(directory, name), 0o755);
}

type Kind = 'none' | 'directory' | 'other';

function kindOf(directory: Directory, name: ByteName): Kind {
  const stats = lstatSync(at(directory, name), { throwIfNoEntry: false });
  if (stats === undefined) return 'none';
  return stats.isDirectory() ? 'directory' : 'other';
}

interface EntryLocation {
  readonly directory: Directory;
  readonly name: ByteName;
}

function rename(from: EntryLocation, to: EntryLocation): void {
  try {
    renameSync(at(from.directory, from.name), at(to.directory, to.name));
  } catch (error) {
    throw fsError(`put ${printable(to.name)} in place`, error);
  }
}

function placeBlockedError(code: 'not_found' | 'failed_precondition', name: ByteName, what: string): CaissonError {
  return new CaissonError(code, `the copy cannot be put in place: ${printable(name)} ${what}`, {
    remedy: 'choose another target, or remove what is there',
  });
}
