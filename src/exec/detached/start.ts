/** Starts a process that outlives the request, and the service. */
import { CaissonError } from '../../errors.ts';
import type { CheckedRequest } from '../request.ts';
import { carriedIn } from '../../inside/carried.ts';
import { runScript } from '../../inside/run.ts';
import type { ExecRequest } from '../types.ts';
import type { ProcessDirectory } from './list.ts';
import { heldNames, processScript, statuses, supervisorScript } from './scripts.ts';

/** Bytes kept of each stream; what is written beyond is dropped, and reported. */
export const keptStreamBytes = 16 * 1024 * 1024;
/** Ended processes are collected after this long. */
export const keepEndedMinutes = 24 * 60;

const shownCharacters = 1000;

/** False when this id has been started before: it is not started again. */
export async function startDetached(kept: ProcessDirectory, request: CheckedRequest): Promise<boolean> {
  const { execId, command, cwd, env, stdin } = request;
  const input = stdin ? 'y' : '';
  const settings = [execId, String(keptStreamBytes / 512), heldNames.join(' ')];
  const supervisor = carriedIn('CAISSON_SUPERVISOR', supervisorScript(), [...settings, ...command]);
  const { exitCode } = await runScript(kept.sandbox, {
    name: 'detach',
    script: processScript('start'),
    args: [kept.key, execId, String(keepEndedMinutes), shown(command), input],
    cwd,
    env: { ...held(env), ...supervisor },
    signal: kept.signal,
  });
  if (exitCode === 0) return true;
  if (exitCode === statuses.exists) return false;
  throw startRefusedError(exitCode);
}

function held(env: ExecRequest['env']): ExecRequest['env'] {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [heldNames.includes(name) ? `_cz_${name}` : name, value]),
  );
}

function startRefusedError(exitCode: number | null): CaissonError {
  if (exitCode === statuses.noTools || exitCode === 127)
    return new CaissonError('not_supported', 'the sandbox lacks sh, setsid or mkfifo, which detached processes need', {
      remedy: 'use an image with busybox, or util-linux and coreutils',
    });
  if (exitCode === statuses.tooMany)
    return new CaissonError('resource_exhausted', 'too many detached processes run in this sandbox', {
      remedy: 'end some with `caisson kill`',
    });
  if (exitCode === 126)
    return new CaissonError('failed_precondition', 'the working directory is not there in the sandbox', {
      remedy: 'make it first, or choose another with --cwd',
    });
  return new CaissonError('failed_precondition', `the process could not be started (status ${exitCode ?? 'unknown'})`, {
    remedy: 'look whether the disk of the sandbox is full',
  });
}

/** What lists show: one line, cut where it gets long. */
function shown(command: readonly string[]): string {
  let left = shownCharacters;
  const words = command.flatMap((word) => {
    if (left <= 0) return [];
    const part = word.length <= left ? word : `${word.slice(0, left)}…`;
    left -= part.length + 1;
    return [part];
  });
  return JSON.stringify(words);
}
