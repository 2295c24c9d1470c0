/** Setting a damaged database aside. Nothing is deleted: what is left of it may still be wanted. */
import { existsSync, renameSync } from 'node:fs';

/** Moves the database with the journals that SQLite left (it merges sound ones on closing). Returns where it is now, or `null` when there was nothing to move. */
export function quarantine(path: string, now: Date): string | null {
  const aside = freeName(`${path}.damaged-${stamp(now)}`);
  const present = ['-wal', '-shm', ''].filter((suffix) => existsSync(path + suffix));
  for (const suffix of present) renameSync(path + suffix, aside + suffix);
  return present.length === 0 ? null : aside;
}

/** `20250131T235959Z`: sorts by time and is legal in every file system. */
export function stamp(now: Date): string {
  return now.toISOString().replace(/[-:]|\.\d+/g, '');
}

export function freeName(wanted: string): string {
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? wanted : `${wanted}-${n}`;
    if (!['', '-wal', '-shm'].some((suffix) => existsSync(name + suffix))) return name;
  }
}
