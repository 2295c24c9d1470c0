/** What has changed between two listings. Pure. */
import { isUtf8 } from 'node:buffer';
import { type ByteName, toBytes } from '../byte-name.ts';
import type { WatchEvent } from './types.ts';

/** Changes that one look lists; further ones are counted. */
export const maxChanges = 1000;

type Facts = ReadonlyMap<ByteName, string>;
type Change = Extract<WatchEvent, { readonly path: string }>;

const kinds: Readonly<Record<number, Change['kind']>> = {
  0o100000: 'file',
  0o040000: 'directory',
  0o120000: 'symlink',
};

/** Removals first, so that a path which became something else is removed and then created. */
export function changesBetween(before: Facts, after: Facts): readonly WatchEvent[] {
  const changes: WatchEvent[] = [];
  let missed = 0;
  const add = (type: Change['type'], path: ByteName, fact: string): void => {
    if (path === '.') return;
    if (changes.length < maxChanges) changes.push({ type, ...named(path), kind: kindOf(fact) });
    else missed++;
  };
  for (const [path, fact] of before) {
    const now = after.get(path);
    if (now === undefined || kindOf(now) !== kindOf(fact)) add('removed', path, fact);
  }
  for (const [path, fact] of after) {
    const old = before.get(path);
    if (old === undefined || kindOf(old) !== kindOf(fact)) add('created', path, fact);
    else if (contentOf(old) !== contentOf(fact)) add('modified', path, fact);
  }
  return missed === 0 ? changes : [...changes, { type: 'overflow', missed }];
}

function named(path: ByteName): Pick<Change, 'path' | 'pathBytes'> {
  const bytes = toBytes(path);
  return { path: bytes.toString(), ...(isUtf8(bytes) ? {} : { pathBytes: bytes.toString('base64') }) };
}

const kindOf = (fact: string): Change['kind'] => kinds[Number.parseInt(fact, 16) & 0o170000] ?? 'other';

/** The times and the size of a directory change with what is in it, which has a change of its own. */
const contentOf = (fact: string): string => (kindOf(fact) === 'directory' ? fact.split(' ', 2).join(' ') : fact);
