/** Making a segment file. */
import { closeSync, constants, linkSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { systemClock } from '../lib/clock.ts';
import { thisProcess } from '../lib/holder.ts';
import { frameOverheadBytes, frameTypes, putFrame } from './frame.ts';
import { errnoOf } from './problem.ts';
import type { Segment } from './segment.ts';
import { encodeHeader, segmentName } from './segment.ts';

export interface SegmentFile {
  readonly fd: number;
  readonly segment: Segment;
  /** Bytes of whole frames in it. */
  size: number;
}

export interface NewSegment {
  readonly directory: string;
  readonly holder: string;
  readonly prefix: string;
  readonly writer: string;
  readonly n: number;
}

const flags = constants.O_CREAT | constants.O_WRONLY | constants.O_TRUNC | constants.O_APPEND;

/** The header is in the file before the file has its name, so that no reader sees a segment without one. */
export function createSegment({ directory, holder, prefix, writer, n }: NewSegment): SegmentFile {
  const temporary = join(directory, `.${writer}.new`);
  const fd = openSync(temporary, flags, 0o600);
  try {
    const header = { writer, n, seed: randomBytes(4).readUInt32LE(), holder: thisProcess(holder, systemClock) };
    const payload = encodeHeader(header);
    const bytes = Buffer.alloc(frameOverheadBytes + payload.length);
    const since = Date.now();
    const head = { type: frameTypes.segment, number: 0, seq: 0, time: since, stdoutOffset: 0, stderrOffset: 0 };
    putFrame(bytes, 0, { head, payload, seed: 0 });
    writeAll(fd, bytes);
    const name = linkFreeName(temporary, { directory, holder, prefix, writer, n });
    unlinkSync(temporary);
    const segment = { ...header, name, path: join(directory, name), first: bytes.length, since };
    return { fd, segment, size: bytes.length };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

export function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at, bytes.length - at);
}

/** Names carry the number of the segment; another process of the same name of a holder may have taken some. */
function linkFreeName(temporary: string, { directory, holder, prefix, n }: NewSegment): string {
  for (let suffix = n; ; suffix++) {
    const name = prefix + segmentName(holder, suffix);
    try {
      linkSync(temporary, join(directory, name));
      return name;
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
  }
}
