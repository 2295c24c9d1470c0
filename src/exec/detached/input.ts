/** Input of a detached process that was started with stdin. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { abortError, CaissonError, toCaissonError } from '../../errors.ts';
import { carried } from '../../inside/carried.ts';
import { runScript } from '../../inside/run.ts';
import { execVariable } from '../../values/exec-variable.ts';
import { type ProcessDirectory, unknownProcessError } from './list.ts';
import { processScript, statuses } from './scripts.ts';

/**
 * Passes `source` on, and then end of file. A source that breaks, or a signal that fires, leaves the input open for the next
 * writer. Throws `not_found`, and `failed_precondition` when the input is not open, or ends before the source does.
 */
export async function sendInput(kept: ProcessDirectory, id: string, source: Readable): Promise<void> {
  await passOn(kept, id, source);
  await runScript(kept.sandbox, {
    name: 'end-input',
    script: processScript('end-input'),
    args: [kept.key, id],
    signal: kept.signal,
  });
}

async function passOn({ sandbox, key, signal }: ProcessDirectory, id: string, source: Readable): Promise<void> {
  const { command, env } = carried('input', processScript('input'), [key, id]);
  const process = await sandbox.exec(command, {
    cwd: '/',
    env: { ...env, [execVariable]: 'input' },
    stdin: true,
    ...(signal === undefined ? {} : { signal }),
  });
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {}).resume();
  const ended = new AbortController();
  const stop = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]);
  const end = process.wait().finally(() => ended.abort());
  end.catch(() => {}); // reported below
  try {
    const broken = await failureOf(source, { to: process.stdin, stop });
    if (signal?.aborted === true) throw abortError(signal);
    // What broke the copy may be the end of the input: the status of the script knows.
    const { exitCode } = await end;
    if (exitCode === statuses.unknown) throw unknownProcessError(id);
    if (exitCode === statuses.noInput) throw inputClosedError(id);
    if (broken !== null) throw broken;
    if (exitCode !== 0)
      throw new CaissonError('unavailable', `the input of ${id} was cut off (status ${exitCode ?? 'unknown'})`);
  } finally {
    if (!ended.signal.aborted) await process.kill('SIGKILL').catch(() => {});
    process.release();
  }
}

/** What ended the copy before its source had ended; `null` when all of it was passed on. */
async function failureOf(
  source: Readable,
  { to, stop }: { readonly to: NodeJS.WritableStream | null; readonly stop: AbortSignal },
): Promise<CaissonError | null> {
  try {
    if (to !== null) await pipeline(source, to, { signal: stop });
    return null;
  } catch (error) {
    return toCaissonError(error);
  }
}

function inputClosedError(id: string): CaissonError {
  return new CaissonError('failed_precondition', `the input of ${id} is not open`, {
    remedy: 'start the command with input (`--detach -i`); input that has ended cannot be opened again',
    details: { execId: id },
  });
}
