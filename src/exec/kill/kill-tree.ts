/**
 * Ends every process of one exec, by means of the backend contract alone.
 *
 *   TERM to all -> grace -> STOP until nothing new appears, KILL -> look again -> who is still there
 *
 * When no script can run in the sandbox, what is left is `Process.kill`, and for a process table that is full (a fork
 * bomb leaves no room for a process that ends it) a restart of the sandbox.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Process } from '../../backend.ts';
import { isCode, toCaissonError } from '../../errors.ts';
import type { CaissonError } from '../../errors.ts';
import { settledOrLate } from '../settled.ts';
import type { Survivor } from '../../values/exit.ts';
import type { KillMode } from './conversation.ts';
import { KillConversation, parseSurvivors } from './conversation.ts';
import type { KillReport } from './report.ts';
import { unverified } from './report.ts';
import { isFull, restart } from './restart.ts';
import { type Strays, withStrays } from './strays.ts';
import type { UserSandbox } from '../user.ts';

export interface KillOptions {
  /** The exec's own process. `null` when no handle to it is left: then the tree is found by its id alone. */
  readonly process: Process | null;
  readonly graceMs?: number;
  /** Looks for processes that hide from the script. */
  readonly strays?: Strays | null;
  /** Whether the whole sandbox may be restarted as a last resort. Default true. */
  readonly mayRestart?: boolean;
}

/** The exec's own process, as far as it is known. */
interface Root {
  readonly process: Process | null;
  readonly ended: Promise<unknown>;
  readonly alive: () => boolean;
}

/** Never rejects, and comes back within some 20 s whatever the sandbox does; a restart may take a minute more. */
export async function killTree(sandbox: UserSandbox, execId: string, options: KillOptions): Promise<KillReport> {
  const root = rootOf(options.process);
  const failures: CaissonError[] = [];
  let full = false;
  for (const mode of ['grep', 'plain'] satisfies KillMode[]) {
    try {
      const report = await killByScript(sandbox, { execId, mode, root, graceMs: options.graceMs ?? 1000 });
      return options.strays ? await withStrays(report, options.strays) : report;
    } catch (error) {
      const failure = toCaissonError(error);
      failures.push(failure);
      if (isCode(error, 'not_found') || isCode(error, 'failed_precondition')) break;
      full ||= await isFull(sandbox, failure);
      await signalRoot(root, 'SIGKILL');
    }
  }
  const restarted = full && options.mayRestart !== false ? await restart(sandbox) : null;
  return restarted ?? unverified(failures);
}

interface ScriptRun {
  readonly execId: string;
  readonly mode: KillMode;
  readonly root: Root;
  readonly graceMs: number;
}

async function killByScript(sandbox: UserSandbox, run: ScriptRun): Promise<KillReport> {
  const script = await KillConversation.start(sandbox, run.execId, run.mode);
  try {
    if (!(await terminate(script, run))) await kill(script, run.root);
    const { count, lines } = await script.ask('list');
    return report(count === 0 ? [] : parseSurvivors(lines), count, run.root);
  } finally {
    script.close();
  }
}

/** Asks all to end, and waits for the grace. True when nothing is left. */
async function terminate(script: KillConversation, { root, graceMs }: ScriptRun): Promise<boolean> {
  const until = performance.now() + graceMs;
  let { count } = await script.ask('term');
  // A root that cleared its environment is not found by it.
  if (count === 0 && root.alive()) await signalRoot(root, 'SIGTERM');
  for (let pauseMs = 10; performance.now() < until; pauseMs = Math.min(pauseMs * 2, 160)) {
    if (count === 0 && !root.alive()) return true;
    const leftMs = Math.max(1, until - performance.now());
    if (count === 0) await settledOrLate(root.ended, leftMs);
    else {
      await sleep(Math.min(pauseMs, leftMs));
      ({ count } = await script.ask('scan'));
    }
  }
  return count === 0 && !root.alive();
}

async function kill(script: KillConversation, root: Root): Promise<void> {
  let { count } = await script.ask('kill');
  // Reaping takes the place a moment; only what it still calls alive then was not found by the script.
  if (root.alive() && !(await settledOrLate(root.ended, 200))) await signalRoot(root, 'SIGKILL');
  for (let round = 1; round <= 20 && count > 0; round++) {
    await sleep(Math.min(5 * round, 50));
    ({ count } = await script.ask('kill'));
  }
  if (root.alive()) await settledOrLate(root.ended, 1000);
}

function report(survivors: readonly Survivor[], count: number, root: Root): KillReport {
  if (root.alive()) {
    return { survivors, verified: false, note: 'the place still reports the command itself as running' };
  }
  const more = count - survivors.length;
  return { survivors, verified: true, note: more > 0 ? `${more} more processes survived than are listed` : null };
}

function rootOf(process: Process | null): Root {
  if (process === null) return { process, ended: Promise.resolve(), alive: () => false };
  let alive = true;
  const gone = (): void => {
    alive = false;
  };
  // Lost is as good as ended here: the place has nothing more to tell about it.
  return { process, ended: process.wait().then(gone, gone), alive: () => alive };
}

async function signalRoot(root: Root, signal: string): Promise<void> {
  if (root.process === null || !root.alive()) return;
  // A signal that cannot be sent shows in what is still alive afterwards.
  await settledOrLate(root.process.kill(signal), 2000);
}
