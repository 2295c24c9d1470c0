/** Waiting for detached processes, ending them, and collecting those that ended long ago. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CaissonError } from '../../errors.ts';
import { execKeyForm } from '../../values/owner.ts';
import { signalNumbers, type Survivor } from '../../values/exit.ts';
import { killTree } from '../kill/kill-tree.ts';
import { runScript } from '../../inside/run.ts';
import { findProcess, type ProcessDirectory, unknownProcessError } from './list.ts';
import { processScript, statuses } from './scripts.ts';
import type { DetachedProcess } from './types.ts';

const idForm = new RegExp(`^${execKeyForm}$`);
/** Rounds of one script inside; a waiter starts the next script, so that one without a waiter does not stay. */
const waitRounds = 300;
const begunMs = 5_000;
const recordedMs = 5_000;

/** Until it has ended, `exited` or `lost`. Throws `not_found`. */
export async function waitForProcess(kept: ProcessDirectory, id: string): Promise<DetachedProcess> {
  for (;;) {
    const found = await findProcess(kept, id);
    if (found.state !== 'running') return found;
    const args = [kept.key, id, String(waitRounds)];
    const { exitCode } = await runScript(kept.sandbox, {
      name: 'wait',
      script: processScript('wait'),
      args,
      input: '', // so that it takes no lane from short commands
      signal: kept.signal,
      timeoutMs: 120_000,
    });
    if (exitCode === statuses.unknown) throw unknownProcessError(id);
    if (exitCode !== 0) await sleep(50);
  }
}

export interface Killed {
  /** The process after the kill. */
  readonly process: DetachedProcess;
  /** Processes that are still there; `null` when only a signal was sent, or no script could look. */
  readonly survivors: readonly Survivor[] | null;
}

/**
 * Without a signal, and by SIGKILL, ends the whole tree and waits until its end is recorded; any other signal is only
 * sent, to the session of the command.
 */
export async function killProcess(kept: ProcessDirectory, id: string, signal: string | null): Promise<Killed> {
  const name = signal === null ? null : signalName(signal);
  const found = await begun(kept, id);
  if (found.state !== 'running') return { process: found, survivors: null };
  if (name !== null && name !== 'SIGKILL') {
    const args = [kept.key, id, name.slice('SIG'.length)];
    await runScript(kept.sandbox, { name: 'signal', script: processScript('signal'), args, signal: kept.signal });
    return { process: await findProcess(kept, id), survivors: null };
  }
  const { survivors } = await killTree(kept.sandbox, id, {
    process: null,
    mayRestart: false,
    ...(name === null ? {} : { graceMs: 0 }),
  });
  return { process: await recorded(kept, id), survivors };
}

/** Before its command is there, a signal would find no process, and the command would begin after it. */
async function begun(kept: ProcessDirectory, id: string): Promise<DetachedProcess> {
  const until = performance.now() + begunMs;
  for (;;) {
    const found = await findProcess(kept, id);
    if (found.state !== 'running' || found.pid !== null || performance.now() > until) return found;
    await sleep(10);
  }
}

async function recorded(kept: ProcessDirectory, id: string): Promise<DetachedProcess> {
  const until = performance.now() + recordedMs;
  for (;;) {
    const found = await findProcess(kept, id);
    if (found.state !== 'running' || performance.now() > until) return found;
    await sleep(50);
  }
}

function signalName(signal: string): string {
  const name = signal.toUpperCase().startsWith('SIG') ? signal.toUpperCase() : `SIG${signal.toUpperCase()}`;
  if (Object.hasOwn(signalNumbers, name)) return name;
  const byNumber = Object.entries(signalNumbers).find(([, number]) => String(number) === signal);
  if (byNumber !== undefined) return byNumber[0];
  throw new CaissonError('invalid_argument', `${JSON.stringify(signal.slice(0, 20))} is no signal`, {
    remedy: 'name one as TERM, INT, HUP, KILL, USR1',
  });
}

/** Ids of what ended more than `minutes` ago, and is removed unless `dryRun`. */
export async function pruneProcesses(
  kept: ProcessDirectory,
  how: { readonly minutes: number; readonly dryRun: boolean },
): Promise<readonly string[]> {
  const args = [kept.key, String(how.minutes), how.dryRun ? 'y' : ''];
  const { text } = await runScript(kept.sandbox, {
    name: 'prune',
    script: processScript('remove'),
    args,
    signal: kept.signal,
  });
  return [...new Set(text.split('\n').filter((line) => idForm.test(line)))];
}
