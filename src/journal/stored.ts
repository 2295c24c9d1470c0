/** Entries of execs whose places are rows: each costs the reading of its first and its last frame. */
import { closeSync, openSync, readSync } from 'node:fs';
import type { RecordRow } from '../store/records.ts';
import type { Frame } from './frame.ts';
import { frameTypes, takeFrame } from './frame.ts';
import { entryOf } from './learner.ts';
import { bytesIn, decodeIndex } from './payload.ts';
import { errnoOf } from './problem.ts';
import type { Entry, FramePosition, Segment } from './segment.ts';

/** `null`: the file has expired, or does not hold the record there. */
export function storedEntry(row: RecordRow, segmentOf: (name: string) => Segment | null): Entry | null {
  const segment = segmentOf(row.start.segment);
  if (segment === null) return null;
  const start = { segment, offset: row.start.offset };
  const frame = frameAt(start);
  if (frame?.type !== frameTypes.started || decodeIndex(frame.payload)?.execId !== row.execId) return null;
  const { execId, taskId, sandboxId, startedAt } = row;
  const entry = entryOf({ execId, taskId, sandboxId, startedAt, writer: segment.writer, number: frame.number });
  entry.start = start;
  if (row.last !== null)
    addLast(entry, row.last.segment === null ? null : segmentOf(row.last.segment), row.last.offset);
  return entry;
}

/** Its exit, or the last that its writer had written of it. */
function addLast(entry: Entry, segment: Segment | null, offset: number): void {
  entry.last = segment === null ? entry.start : { segment, offset };
  const frame = segment === null ? null : frameAt({ segment, offset });
  if (frame === null || frame.number !== entry.number) return;
  entry.lastAt = frame.time;
  entry.stdoutBytes = frame.stdoutOffset + bytesIn(frame, 'stdout');
  entry.stderrBytes = frame.stderrOffset + bytesIn(frame, 'stderr');
  if (frame.type === frameTypes.exit) entry.exit = entry.last;
}

/** Most frames that lists read fit in it. */
const defaultBytes = 4 * 1024;

/** One frame, without what lies behind it. `null` when it is not there any more. */
export function frameAt({ segment, offset }: FramePosition): Frame | null {
  const fd = openIfThere(segment.path);
  if (fd === null) return null;
  try {
    const first = takeFrame(readAt(fd, offset, defaultBytes), 0, segment.seed);
    const taken = first.kind === 'short' ? takeFrame(readAt(fd, offset, first.needed), 0, segment.seed) : first;
    return taken.kind === 'frame' ? taken.frame : null;
  } finally {
    closeSync(fd);
  }
}

function readAt(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, offset));
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}
