/** The terminal of the caller, lent to a command. */
import type { Context } from './context.ts';
import { type Size, sizeOf } from './screen.ts';
import { stopChangingBytes, stopChangingOutput } from './termios.ts';
import type { World } from './world.ts';

export function isTerminal({ stdin, stdout }: World): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}

type Lender = Pick<Context, 'world' | 'notice' | 'startLinesByHand'>;

/**
 * Raw mode in both directions, and the new size at each change. The returned function gives the terminal back; it is idempotent, and also
 * called when the process ends in any way that lets it: a shell in raw mode is unusable.
 */
export function lendTerminal(lender: Lender, resize: (size: Size) => void): () => void {
  const { world, notice, startLinesByHand } = lender;
  const { stdin, stdout, signals } = world;
  const onResize = (): void => resize(sizeOf(world));
  let lent = true;
  const giveBack = (): void => {
    if (!lent) return;
    lent = false;
    // Node saved all settings before it changed them, those of `stopChangingBytes` included.
    stdin.setRawMode?.(false);
    startLinesByHand(false);
    stdout.off('resize', onResize);
    signals.off('exit', giveBack);
  };
  signals.once('exit', giveBack);
  stdout.on('resize', onResize);
  stdin.setRawMode?.(true);
  const problem = stdin.setRawMode === undefined ? null : stopChangingBytes();
  startLinesByHand(problem === null);
  if (problem !== null) notice(`the terminal turns each line feed of the command into two characters: ${problem}`);
  return giveBack;
}

/**
 * A terminal that shows the output of a command on a terminal, and keeps its keys. The returned function gives it back; it is idempotent,
 * and also called at the end of the process.
 */
export function lendScreen({ world, startLinesByHand }: Lender): () => void {
  if (world.stdout.isTTY !== true) return () => undefined;
  const putBack = stopChangingOutput();
  let lent = true;
  const giveBack = (): void => {
    if (!lent) return;
    lent = false;
    putBack();
    startLinesByHand(false);
    world.signals.off('exit', giveBack);
  };
  world.signals.once('exit', giveBack);
  startLinesByHand(true);
  return giveBack;
}
