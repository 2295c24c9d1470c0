import type { Exit } from '../values/exit.ts';
import { given } from '../lib/given.ts';
import { lostExit } from './lost.ts';
import { decodeExit, decodeStarted } from './payload.ts';
import type { Entry, FramePosition } from './segment.ts';
import { frameAt } from './stored.ts';
import type { ExecSummary } from './types.ts';

/** What lists show of an exec. `null` for what has become unreadable meanwhile. */
export function summaryOf(entry: Entry): ExecSummary | null {
  const started = entry.start === null ? null : decodeStarted(payloadAt(entry.start));
  if (started === null) return null;
  const { command, user, where } = started;
  return {
    execId: entry.execId,
    startedAt: new Date(entry.startedAt).toISOString(),
    command,
    ...given({ user }),
    where,
    exit: exitIn(entry),
  };
}

/** `null`: it runs, or its writer has died a moment ago. */
function exitIn(entry: Entry): Exit | null {
  if (entry.exit !== null) return decodeExit(payloadAt(entry.exit));
  if (entry.pendingExit !== null) return entry.pendingExit;
  if (entry.last === null) return null;
  return lostExit(entry, { stdout: entry.stdoutBytes, stderr: entry.stderrBytes });
}

function payloadAt(place: FramePosition): Buffer {
  return frameAt(place)?.payload ?? Buffer.alloc(0);
}
