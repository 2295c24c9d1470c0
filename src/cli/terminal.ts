/** The terminal of the caller, lent to a command. */
import type { World } from './world.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export function isTerminal({ stdin, stdout }: World): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}

export function sizeOf({ stdout }: World): Size {
  // A terminal whose size was never set reports 0.
  return { columns: stdout.columns || 80, rows: stdout.rows || 24 };
}

/**
 * Raw mode, and the new size at each change. The returned function gives the terminal back; it is idempotent, and also
 * called when the process ends in any way that lets it: a shell in raw mode is unusable.
 */
export function lendTerminal(world: World, resize: (size: Size) => void): () => void {
  const { stdin, stdout, signals } = world;
  const onResize = (): void => resize(sizeOf(world));
  let lent = true;
  const giveBack = (): void => {
    if (!lent) return;
    lent = false;
    stdin.setRawMode?.(false);
    stdout.off('resize', onResize);
    signals.off('exit', giveBack);
  };
  signals.once('exit', giveBack);
  stdout.on('resize', onResize);
  stdin.setRawMode?.(true);
  return giveBack;
}
