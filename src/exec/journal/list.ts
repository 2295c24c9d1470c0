import type { Exit } from '../exit.ts';
import { openCursor } from './cursor.ts';
import { lostExit } from './lost.ts';
import { decodeExit, decodeStarted } from './payload.ts';
import type { Entry, Place, Segment } from './segment.ts';
import type { ExecSummary } from './types.ts';

/** What lists show of each exec. What has become unreadable meanwhile is left out. */
export function summaries(entries: readonly Entry[], isWriterAlive: (segment: Segment) => boolean): ExecSummary[] {
  return entries.flatMap((entry) => {
    const started = entry.start === null ? null : decodeStarted(payloadAt(entry.start));
    if (started === null) return [];
    const { command, where } = started;
    const startedAt = new Date(entry.startedAt).toISOString();
    return [{ execId: entry.execId, startedAt, command, where, exit: exitOfEntry(entry, isWriterAlive) }];
  });
}

function exitOfEntry(entry: Entry, isWriterAlive: (segment: Segment) => boolean): Exit | null {
  if (entry.exit !== null) return decodeExit(payloadAt(entry.exit));
  if (entry.pendingExit !== null) return entry.pendingExit;
  if (entry.start === null || isWriterAlive(entry.start.segment)) return null;
  return lostExit(entry, { stdout: entry.stdoutBytes, stderr: entry.stderrBytes });
}

/** Empty when the frame is not there any more. */
function payloadAt({ segment, offset }: Place): Buffer {
  const cursor = openCursor(segment, offset);
  if (cursor === null) return Buffer.alloc(0);
  try {
    const taken = cursor.next();
    return taken?.offset === offset ? taken.frame.payload : Buffer.alloc(0);
  } finally {
    cursor.close();
  }
}
