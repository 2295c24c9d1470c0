import { readdirSync, readFileSync } from 'node:fs';

/** Processes that live (no zombies) and have the text in their command line or environment, by this machine's own telling. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter(
      (pid) =>
        isAlive(pid) && [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`].some((path) => read(path).includes(text)),
    )
    .map(Number);
}

function isAlive(pid: string): boolean {
  const stat = read(`/proc/${pid}/stat`);
  const state = stat.charAt(stat.lastIndexOf(')') + 2);
  return state !== '' && !'ZX'.includes(state);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // Gone meanwhile, or not ours to read: no match either way.
    return '';
  }
}
