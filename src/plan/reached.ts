/**
 * Whether other users of this host can get to a directory that a sandbox writes. A file with the setuid bit that it makes there
 * runs as its owner, which may be root, for each of them. The mount options inside the sandbox do not matter: they run it
 * by the path of the host.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Mount } from '../backend.ts';
import { isWithin } from '../values/paths.ts';

/** Search for the group and for others. Under an access list the bits of the group are the most that it gives (acl(5)). */
const searchForOthers = 0o011;

export function isReachedByOthers({ source, readOnly }: Mount): boolean {
  return (
    !readOnly && !above(source).some(isClosed) && !ignoresSetuid(source, readFileSync('/proc/self/mountinfo', 'utf8'))
  );
}

/** Without the source: a sandbox may change its mode. */
function above(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...above(parent)];
}

function isClosed(directory: string): boolean {
  const { uid, mode } = statSync(directory);
  return (uid === 0 || uid === process.getuid?.()) && (mode & searchForOthers) === 0;
}

/** Pure. The mount of this host in which a path lies, by proc_pid_mountinfo(5); the last one covers those before. */
export function ignoresSetuid(path: string, mountinfo: string): boolean {
  const mounts = mountinfo.split('\n').flatMap((line) => {
    const [, , , , point, options] = line.split(' ');
    return point === undefined || options === undefined
      ? []
      : [{ point: unescaped(point), options: options.split(',') }];
  });
  const holding = mounts.filter(({ point }) => isWithin(path, point));
  const longest = Math.max(...holding.map(({ point }) => point.length));
  return holding.findLast(({ point }) => point.length === longest)?.options.includes('nosuid') ?? false;
}

/** Blanks and the like stand as octal numbers. */
function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)));
}
