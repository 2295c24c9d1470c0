import { open } from 'node:fs/promises';
import type { ExecEvent, StreamName } from '../values/exec-event.ts';
import type { Frame } from './frame.ts';
import { frameTypes } from './frame.ts';
import type { Source, Step } from './frames.ts';
import { readFrames } from './frames.ts';
import type { Position } from './gaps.ts';
import { gapsBefore } from './gaps.ts';
import { lostExit } from './lost.ts';
import type { Extent } from './payload.ts';
import { bytesIn, decodeExit, decodeExtent, decodeStarted } from './payload.ts';
import { errnoOf } from './problem.ts';
import type { Entry } from './segment.ts';
import { spillPath } from './spill.ts';
import type { ReadOptions } from './types.ts';

/**
 * The events of one exec, oldest first, from wherever they are. Ends with its exit; without `follow` it also ends where
 * the record ends now. An exec whose writer died before its end ends with an exit of reason `lost`.
 */
export async function* readEvents(
  entry: Entry,
  source: Source,
  options: ReadOptions,
): AsyncGenerator<ExecEvent, void, void> {
  const { after = 0 } = options;
  let delivered: Position = { seq: 0, stdout: 0, stderr: 0 };
  for await (const step of readFrames(entry, source, options)) {
    if (step.kind !== 'frame') {
      yield lastEvent(entry, step, delivered);
      return;
    }
    const { frame } = step;
    for (const gap of gapsBefore(frame, delivered, entry.execId)) if (gap.seq > after) yield gap;
    delivered = positionAfter(frame);
    if (frame.seq <= after) continue;
    const event = await eventOf(frame, entry, source.spillDirectory);
    if (event !== null) yield { execId: entry.execId, seq: frame.seq, at: new Date(frame.time).toISOString(), event };
  }
}

/** The exit event of an exec whose exit is on no disk. A reader may get it twice: better than never. */
function lastEvent(entry: Entry, step: Exclude<Step, { kind: 'frame' }>, delivered: Position): ExecEvent {
  const exit = step.kind === 'pending' ? step.exit : lostExit(entry, delivered);
  return {
    execId: entry.execId,
    seq: delivered.seq + 1,
    at: new Date(entry.lastAt).toISOString(),
    event: { type: 'exit', exit },
  };
}

function positionAfter(frame: Frame): Position {
  return {
    seq: frame.seq,
    stdout: frame.stdoutOffset + bytesIn(frame, 'stdout'),
    stderr: frame.stderrOffset + bytesIn(frame, 'stderr'),
  };
}

/** `null` for what this version cannot read. */
async function eventOf(frame: Frame, { execId }: Entry, spillDirectory: string): Promise<ExecEvent['event'] | null> {
  const { type, payload } = frame;
  if (type === frameTypes.stdout || type === frameTypes.stderr) {
    return { type: type === frameTypes.stdout ? 'stdout' : 'stderr', bytes: payload };
  }
  if (type === frameTypes.stdoutSpill || type === frameTypes.stderrSpill) {
    const stream = type === frameTypes.stdoutSpill ? 'stdout' : 'stderr';
    return await readSpill(spillPath(spillDirectory, execId, stream), stream, decodeExtent(payload));
  }
  if (type === frameTypes.exit) {
    const exit = decodeExit(payload);
    return exit === null ? null : { type: 'exit', exit };
  }
  const started = type === frameTypes.started ? decodeStarted(payload) : null;
  return started === null ? null : { type: 'started', ...started };
}

/** What has expired, or never reached the disk, is a gap. */
async function readSpill(
  path: string,
  stream: StreamName,
  { fileOffset, length }: Extent,
): Promise<ExecEvent['event']> {
  const gap = { type: 'gap', stream, bytes: length } as const;
  try {
    await using file = await open(path, 'r');
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await file.read(bytes, 0, length, fileOffset);
    return bytesRead === length ? { type: stream, bytes } : gap;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return gap;
    throw error;
  }
}
