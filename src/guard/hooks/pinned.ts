/**
 * Running a hook as it was accepted: from copies of the bytes that were compared, so that a file which changes between the
 * comparison and the start does not run. The copies have names of their content, `hooks-pinned/SHA256/NAME`.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { replaceOwnFile } from '../../lib/replace-file.ts';
import type { Script } from './script.ts';
import type { Hook } from './types.ts';

const directory = 'hooks-pinned';

/**
 * Binary programs run where they are: they find their libraries by their place, and only this user and root may write
 * them. The scripts must be usable.
 */
export async function pinnedCommand(
  command: Hook['command'],
  scripts: readonly Script[],
  home: string,
): Promise<readonly [string, ...string[]]> {
  const words = new Map<number, string>();
  for (const script of scripts)
    if (script.problem === null)
      words.set(script.word, isBinaryProgram(script) ? script.path : await copyOf(script, home));
  const [program, ...args] = command.map((word, index) => words.get(index) ?? word);
  return [program ?? command[0], ...args];
}

type Usable = Extract<Script, { readonly problem: null }>;

const isBinaryProgram = ({ word, bytes }: Usable): boolean => word === 0 && bytes.subarray(0, 2).toString() !== '#!';

async function copyOf({ sha256, bytes, path }: Usable, home: string): Promise<string> {
  const copy = join(home, directory, sha256, basename(path));
  const present = await readFile(copy).catch(() => null);
  if (present?.equals(bytes) === true) return copy;
  await mkdir(join(home, directory, sha256), { recursive: true, mode: 0o700 });
  await replaceOwnFile(copy, bytes, 0o500);
  return copy;
}
