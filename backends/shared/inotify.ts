/** How many watchers of files each user of this host may have (inotify(7)), which all its programs share. */
import { readFileSync } from 'node:fs';
import type { Finding } from '../../src/backend.ts';

const file = '/proc/sys/fs/inotify/max_user_instances';
/** The kernel's own default is 128, and one build tool takes some ten. */
const enough = 1024;

/** For places where a sandbox has the user number of programs of this host. `max`: the kernel's; `null` when it does not tell. */
export function inotifyFindings(max: number | null = readMost()): readonly Finding[] {
  if (max === null || max >= enough) return [];
  return [
    {
      severity: 'warning',
      id: 'inotify-instances',
      message: `programs of one user share ${max} watchers of files, and root inside a container counts as root of this host: one sandbox that takes them stops file watching in others and in services of root`,
      remedy: `sysctl fs.inotify.max_user_instances=${enough * 8}, or user namespaces in the engine (userns-remap)`,
    },
  ];
}

function readMost(): number | null {
  try {
    return Number(readFileSync(file, 'utf8').trim());
  } catch {
    return null;
  }
}
