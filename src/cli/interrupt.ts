/** Ctrl-C and its kin: the first asks for an orderly end, the second leaves at once. */
import { CaissonError } from '../errors.ts';
import type { World } from './world.ts';

export interface Interrupts {
  /** Fires at the first signal, or when the output has no reader any more. */
  readonly signal: AbortSignal;
  /** What to exit with because of it; `null` while nothing came. */
  readonly exitCode: () => number | null;
  /** Has SIGHUP do that instead. */
  readonly onHangup: (act: () => void) => void;
  readonly stop: () => void;
}

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const brokenPipeExitCode = 141;
const failureExitCode = 125;

/** A wrapper that passes signals on and the terminal itself may both deliver one and the same Ctrl-C. */
const sameMs = 250;

export function watchInterrupts(world: World, say: (text: string) => void): Interrupts {
  const controller = new AbortController();
  let hangup: (() => void) | null = null;
  let first: { readonly exitCode: number; readonly atMs: number } | null = null;

  const end = (exitCode: number, text: string | null): void => {
    first = { exitCode, atMs: world.nowMs() };
    if (text !== null) say(text);
    controller.abort(new CaissonError('canceled', 'interrupted'));
  };
  const onSignal = (name: keyof typeof exitCodes): void => {
    if (name === 'SIGHUP' && hangup !== null) return hangup();
    if (first === null)
      return end(exitCodes[name], 'interrupted: stopping and cleaning up; once more to leave at once');
    if (world.nowMs() - first.atMs < sameMs) return;
    say('left at once: what remains is removed by caisson gc');
    world.abandon(exitCodes[name]);
  };
  const onOutputError = (error: Error & { readonly code?: string }): void => {
    if (first !== null) return;
    if (error.code === 'EPIPE') end(brokenPipeExitCode, null);
    else end(failureExitCode, `cannot write the output: ${error.message}`);
  };
  // A broken stderr cannot be reported; without a listener it would end the process in mid-work.
  const onStderrError = (): void => {};

  const names = Object.keys(exitCodes);
  for (const name of names) world.signals.on(name, onSignal);
  world.stdout.on('error', onOutputError);
  world.stderr.on('error', onStderrError);
  return {
    signal: controller.signal,
    exitCode: () => first?.exitCode ?? null,
    onHangup: (act) => {
      hangup = act;
    },
    // The listeners of the streams stay: what is still buffered may fail after the end.
    stop: () => {
      for (const name of names) world.signals.off(name, onSignal);
    },
  };
}
