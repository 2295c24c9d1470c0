/**
 * Processes that a command has started and that its kill does not find: they have cleared their environment, opened a session and
 * lost their parent before the first scan. The kernel of this host shows them all the same, as processes that have started since the
 * command and are nothing of Caisson's. Whose they are is only known where nothing else has run in the sandbox meanwhile.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessDetails } from '../../backend.ts';
import { printable } from './conversation.ts';
import type { KillReport } from './report.ts';

/** What a sandbox offers for it, asked before the kill. */
export interface Strays {
  /** No other command, session or process of this Caisson has run since the command was sent. */
  readonly alone: boolean;
  /** Those that are not Caisson's and have, or may have, started since. `null`: they cannot be seen. */
  look(): Promise<readonly Stray[] | null>;
  kill(pids: readonly number[]): Promise<void>;
}

export interface Stray extends Pick<ProcessDetails, 'pid' | 'parent' | 'mark' | 'name'> {
  /** It may have started before the command, by as much as the kernel's clock does not show. */
  readonly isUnsure: boolean;
}

/** Scripts of Caisson, the kill's own among them, end within this. */
const endingMs = [0, 20, 50, 100, 200];
const maxRounds = 10;
const startedOutside = 0;

/** Completes what the kill itself has found. */
export async function withStrays(report: KillReport, strays: Strays): Promise<KillReport> {
  if (!report.verified || (report.survivors?.length ?? 0) > 0) return report;
  const first = await settled(strays);
  if (first === null || first.length === 0) return report;
  if (!strays.alone || first.some(isOfOthers)) return unknown(report);
  const left = await killAll(strays, first);
  const survivors = left.slice(0, 50).map(({ pid, name }) => ({ pid, command: printable(name) }));
  return { ...report, survivors };
}

/** Nothing marks it as another command's. */
function isOfOthers({ mark, parent, isUnsure }: Stray): boolean {
  return mark !== null || parent === startedOutside || isUnsure;
}

/** After what is about to end by itself. */
async function settled(strays: Strays): Promise<readonly Stray[] | null> {
  let seen: readonly Stray[] | null = null;
  for (const pauseMs of endingMs) {
    if (pauseMs > 0) await sleep(pauseMs);
    seen = await strays.look();
    if (seen === null || !seen.some(isOfOthers)) return seen;
  }
  return seen;
}

/** A process that forks on and on is killed faster than it forks, or is left. */
async function killAll(strays: Strays, first: readonly Stray[]): Promise<readonly Stray[]> {
  let left = first;
  for (let round = 0; round < maxRounds && left.length > 0; round += 1) {
    await strays.kill(left.map(({ pid }) => pid));
    await sleep(10);
    left = (await strays.look())?.filter((stray) => !isOfOthers(stray)) ?? left;
  }
  return left;
}

function unknown(report: KillReport): KillReport {
  const note =
    'other commands run in the sandbox, or have run: a process of this one that hid from its kill cannot be distinguished from theirs';
  return { ...report, survivors: null, note: report.note === null ? note : `${report.note}; ${note}` };
}

/** The clocks of both sides, in steps of ten milliseconds. */
const stepMs = 10;

/** Pure. `sinceMs`: since boot, and at most one step too early. `before`: those that lived then; `null`: it is not known. */
export function straysAmong(
  processes: readonly ProcessDetails[],
  { sinceMs, before }: { readonly sinceMs: number; readonly before: ReadonlySet<number> | null },
): readonly Stray[] {
  return processes.flatMap(({ pid, parent, mark, name, startedAtMs }) => {
    const isBefore = before === null ? startedAtMs + stepMs <= sinceMs : before.has(pid);
    const isUnsure = before === null && startedAtMs < sinceMs + stepMs;
    return isBefore ? [] : [{ pid, parent, mark, name, isUnsure }];
  });
}

/** Converts a moment of `performance.now()` to milliseconds since boot. */
export function sinceBoot(atMs: number): number {
  const now = Number.parseFloat(readFileSync('/proc/uptime', 'utf8')) * 1000;
  return now - (performance.now() - atMs);
}
