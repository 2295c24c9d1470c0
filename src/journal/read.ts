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
import { gapWithin, type Tail, tailOf } from './tail.ts';
import type { ReadOptions } from './types.ts';

type Gap = Extract<ExecEvent['event'], { readonly type: 'gap' }>;

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
  const tail = await tailOf(entry, source, options);
  let delivered: Position = { seq: 0, stdout: 0, stderr: 0 };
  for await (const step of readFrames(entry, source, options)) {
    if (step.kind !== 'frame') {
      yield lastEvent(entry, step, delivered);
      return;
    }
    const { frame } = step;
    for (const gap of gapsBefore(frame, delivered, entry.execId)) {
      const within = gapWithin(tail, gap, delivered);
      if (within !== null && gap.seq > after) yield within;
    }
    delivered = positionAfter(frame);
    const part = partOf(tail, frame);
    if (frame.seq <= after || part === null) continue;
    const event = 'type' in part ? part : await eventOf(part, entry, source.spillDirectory);
    if (event !== null) yield { execId: entry.execId, seq: frame.seq, at: new Date(frame.time).toISOString(), event };
  }
}

/** The part of a frame within the last bytes of its stream, or the gap before it. `null`: all of it is before them. */
function partOf(tail: Tail, frame: Frame): Wanted | Gap | null {
  const stream = streamOf(frame.type);
  if (stream === null) return { frame, skip: 0 };
  const length = bytesIn(frame, stream);
  const { skip, gap } = tail.of({ stream, offset: frame[`${stream}Offset`], length });
  if (gap > 0) return { type: 'gap', stream, bytes: gap };
  return skip === length && length > 0 ? null : { frame, skip };
}

function streamOf(type: number): StreamName | null {
  if (type === frameTypes.stdout || type === frameTypes.stdoutSpill) return 'stdout';
  return type === frameTypes.stderr || type === frameTypes.stderrSpill ? 'stderr' : null;
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

interface Wanted {
  readonly frame: Frame;
  /** Bytes at the beginning of its output that are left out. */
  readonly skip: number;
}

/** `null` for what this version cannot read. */
async function eventOf(
  { frame: { type, payload }, skip }: Wanted,
  { execId }: Entry,
  spillDirectory: string,
): Promise<ExecEvent['event'] | null> {
  const stream = streamOf(type);
  if (stream !== null) {
    if (type === frameTypes[stream]) return { type: stream, bytes: payload.subarray(skip) };
    const { fileOffset, length } = decodeExtent(payload);
    const extent = { fileOffset: fileOffset + skip, length: length - skip };
    return await readSpill(spillPath(spillDirectory, execId, stream), stream, extent);
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
