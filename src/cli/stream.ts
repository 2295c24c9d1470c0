/** Passes the streams of a running command through, untouched and with back-pressure, until it has ended. */
import type { Writable } from 'node:stream';
import type { Exit } from '../service/api.ts';
import { toCaissonError } from '../errors.ts';
import type { Context } from './context.ts';
import { lendTerminal } from './terminal.ts';
import type { CommandRunning, World } from './world.ts';

/** Not `interactive`: a command on a terminal hears nothing, and Ctrl-C is the caller's. */
export async function passThrough(
  running: CommandRunning,
  context: Context,
  { interactive }: { readonly interactive: boolean },
): Promise<Exit> {
  const { world, signal } = context;
  const ended = new AbortController();
  const input = running.stdin === null || !interactive ? null : passInput(running.stdin, context, ended.signal);
  const stop = (): void => {
    running
      .cancel()
      .catch((error: unknown) => context.say(`the command could not be stopped: ${toCaissonError(error).message}`));
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const giveBack =
    running.resize === undefined || !interactive ? null : lendTerminal(context, resizer(running, context));
  try {
    const outputs = [passOutput('stdout', running, world), passOutput('stderr', running, world)];
    const exit = await running.exit;
    await Promise.all(outputs);
    // Takes the terminal of the input out of raw mode, in which the last output must still find it.
    ended.abort();
    await input;
    return exit;
  } finally {
    giveBack?.();
    signal.removeEventListener('abort', stop);
  }
}

/** A destination that breaks is seen by its own listener, which ends the command; a source that breaks shows in the exit. */
async function passOutput(name: 'stdout' | 'stderr', running: CommandRunning, world: World): Promise<void> {
  try {
    for await (const bytes of running[name]) await written(world[name], bytes);
  } catch {
    running.ignore(name);
  }
}

/** Resolves when the destination takes more. Rejects when it is broken. */
async function written(destination: Writable, bytes: Uint8Array): Promise<void> {
  if (destination.destroyed) throw new Error('the destination is closed');
  if (destination.write(bytes)) return;
  await new Promise<void>((resolve, reject) => {
    const settle = (): void => {
      destination.off('drain', settle).off('close', settle).off('error', settle);
      if (destination.destroyed) reject(new Error('the destination is closed'));
      else resolve();
    };
    destination.on('drain', settle).on('close', settle).on('error', settle);
  });
}

/** The command may stop reading at any time; only a failure of our own input is worth a word. */
async function passInput(destination: Writable, context: Context, signal: AbortSignal): Promise<void> {
  const { pipeline } = await import('node:stream/promises');
  try {
    await pipeline(context.world.stdin, destination, { signal });
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'syscall') === 'read')
      context.say(`standard input cannot be read: ${error.message}`);
  }
}

function resizer(
  running: CommandRunning,
  context: Context,
): (size: { readonly columns: number; readonly rows: number }) => void {
  return ({ columns, rows }) => {
    running
      .resize?.(columns, rows)
      .catch((error: unknown) =>
        context.notice(`the new size of the terminal was not passed on: ${toCaissonError(error).message}`),
      );
  };
}
