/** What the sandbox says to a file tool. Hostile text in, checked shapes out. */
import { basename, join } from 'node:path';
import { CaissonError } from '../../errors.ts';
import type { FileEntry, Match } from './types.ts';

const facts = /^([0-9a-f]{1,8}) (\d{1,16}) (-?\d{1,12})$/;
const kinds: Readonly<Record<number, FileEntry['kind']>> = {
  0o100000: 'file',
  0o040000: 'directory',
  0o120000: 'symlink',
};

export function parseRead(said: Buffer): { readonly size: number; readonly bytes: Buffer } {
  const end = said.indexOf(0x0a);
  const size = Number(said.subarray(0, Math.max(0, end)).toString('latin1'));
  if (end < 1 || !Number.isSafeInteger(size) || size < 0) throw statOutputError();
  return { size, bytes: said.subarray(end + 1) };
}

/** A line of `list.sh`: a name, two slashes and facts. A name may have newlines, and has no slash. */
const entryLine = /\.\/([^/]+)\/\/(.*)\n/y;

export function parseList(said: Buffer): readonly FileEntry[] {
  const text = said.toString();
  const entries: FileEntry[] = [];
  entryLine.lastIndex = 0;
  while (entryLine.lastIndex < text.length) {
    const [, name, line] = entryLine.exec(text) ?? [];
    if (name === undefined || line === undefined) throw statOutputError();
    entries.push(parseEntry(name, line));
  }
  return entries;
}

export function parseStat(path: string, said: Buffer): FileEntry {
  const [line = '', ...target] = said.toString().replace(/\n$/, '').split('\n');
  const entry = parseEntry(basename(path) || '/', line);
  return entry.kind === 'symlink' ? { ...entry, target: target.join('\n') } : entry;
}

/**
 * The directory that was searched and a NUL, then lines. Those that grep says about files rather than of them do not have
 * the form.
 */
export function parseMatches(said: Buffer, longest: number): readonly Match[] {
  const [root = '', lines = ''] = said.toString().split('\0', 2);
  return lines.split('\n').flatMap((line) => {
    const [, path, number, text] = /^\.\/(.*?):(\d{1,10}):(.*)$/s.exec(line) ?? [];
    if (path === undefined || number === undefined || text === undefined) return [];
    return [{ path: join('/', root, path), line: Number(number), text: text.slice(0, longest) }];
  });
}

function parseEntry(name: string, line: string): FileEntry {
  const [, mode = '', size = '', time = ''] = facts.exec(line) ?? [];
  const modifiedAt = new Date(Number(time) * 1000);
  if (mode === '' || Number.isNaN(modifiedAt.getTime())) throw statOutputError();
  const bits = Number.parseInt(mode, 16);
  return {
    name,
    kind: kinds[bits & 0o170000] ?? 'other',
    size: Number(size),
    mode: bits & 0o7777,
    modifiedAt: modifiedAt.toISOString(),
  };
}

function statOutputError(): CaissonError {
  return new CaissonError('failed_precondition', 'what the sandbox says about the file cannot be read', {
    remedy: 'its image needs sh, stat, head, tail, wc, find, xargs and grep, as BusyBox and GNU have them',
  });
}
