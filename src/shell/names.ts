/** Finds the name by which a command calls its program. */
import { baseName } from './paths.ts';
import { hole, homeMark, type Word } from './types.ts';

/** Names that hardline rules are about, for `/bin/r?`. */
const hardlineNames = [
  'rm',
  'dd',
  'kill',
  'mkfs',
  'reboot',
  'halt',
  'poweroff',
  'shutdown',
  'init',
  'wipefs',
  'shred',
  'find',
  'systemctl',
];

/** Lower-case, without directories; `null`: not known. */
export function programOf(word: Word | undefined): string | null {
  if (word === undefined) return '';
  const name = baseName(word.text);
  if (name.startsWith(`mkfs.${hole}`)) return 'mkfs';
  if (name === '' || name.includes(hole) || name.includes(homeMark)) return null;
  // The name of `test`, not a pattern.
  if (name === '[' || name === '[[') return name;
  if (word.glob) return hardlineNames.find((each) => globMatches(name, each)) ?? null;
  return name.toLowerCase().replace(/\.exe$/, '');
}

export function globMatches(pattern: string, name: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  try {
    return new RegExp(`^${source}$`).test(name);
  } catch {
    // A bracket that is never closed does not make a pattern.
    return false;
  }
}
