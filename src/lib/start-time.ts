/** When a process was started: with its number it names one process, also after the number was given to another. */
import { readFileSync } from 'node:fs';

/** Clock ticks since boot, or `null` when there is no such process, or nothing but its zombie. */
export function startTimeOf(pid: number): string | null {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return null;
    throw error;
  }
}

/** proc_pid_stat(5): the name (field 2) may hold anything, also `)`, so fields are counted from the last one on. */
export function parseStat(stat: string): string | null {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  if (state === undefined || 'ZXx'.includes(state)) return null;
  return fields[22 - 3] ?? null;
}
