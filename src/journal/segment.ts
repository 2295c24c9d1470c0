/** One file of the journal, and one exec as its frames tell it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Exit } from '../values/exit.ts';
import type { HolderRow } from '../lib/holder.ts';
import { ownerOf, ownerOfExec } from '../values/owner.ts';
import { openCursor } from './cursor.ts';
import { frameTypes } from './frame.ts';
import { parseObject } from './payload.ts';

export interface SegmentHeader {
  /** Random, one for each process that writes. */
  readonly writer: string;
  /** Grows by one with each segment of a writer. */
  readonly n: number;
  /** Seed of the CRC of all frames but the first. */
  readonly seed: number;
  /** In the file it is `owner`, as earlier versions wrote it. */
  readonly holder: HolderRow;
}

export interface Segment extends SegmentHeader {
  readonly name: string;
  readonly path: string;
  /** Offset of the first frame after the header. */
  readonly first: number;
  /** When it was made, in milliseconds since the epoch. */
  readonly since: number;
}

/** Place of a frame: its segment, and its offset in it. */
export interface FramePosition {
  readonly segment: Segment;
  readonly offset: number;
}

/** One exec, as far as its frames were read or written. */
export interface Entry {
  readonly execId: string;
  readonly sandboxId: string;
  readonly taskId: string;
  readonly writer: string;
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** `null` while the frame could not be written. */
  start: FramePosition | null;
  exit: FramePosition | null;
  /** The last frame that was seen of it. */
  last: FramePosition | null;
  /** The exit of an exec of this process, until it is on the disk. */
  pendingExit: Exit | null;
  lastAt: number;
  stdoutBytes: number;
  stderrBytes: number;
}

const namePattern = /^(?:[A-Za-z0-9_.]|-)+-(\d{1,9})\.seg$/;

export function segmentName(holder: string, n: number): string {
  return `${holder.replaceAll(/[^A-Za-z0-9_.-]/g, '_').slice(0, 64)}-${n}.seg`;
}

/** Whose record a file of the journal holds. */
export function ownerOfFile(name: string): string {
  const [stem = '', ending] = name.split(/\.(?=\w+$)/);
  return ending === 'seg' ? ownerOf(stem) : ownerOfExec(stem);
}

export function segmentNames(directory: string): string[] {
  return readdirSync(directory).filter((name) => namePattern.test(name));
}

export function encodeHeader({ holder, ...header }: SegmentHeader): Buffer {
  return Buffer.from(JSON.stringify({ v: 1, ...header, owner: holder }));
}

/** `null` when there is no such file any more, or it has not one of our headers. */
export function openSegment(directory: string, name: string): Segment | null {
  const path = join(directory, name);
  const cursor = openCursor({ path, seed: 0 }, 0);
  if (cursor === null) return null;
  try {
    const taken = cursor.next();
    if (taken === null || taken.offset !== 0 || taken.frame.type !== frameTypes.segment) return null;
    const header = decodeHeader(taken.frame.payload);
    return header === null ? null : { ...header, name, path, first: cursor.offset, since: taken.frame.time };
  } finally {
    cursor.close();
  }
}

function decodeHeader(payload: Buffer): SegmentHeader | null {
  const value = parseObject(payload.toString('utf8'));
  if (value === null || value['v'] !== 1) return null;
  const { writer, n, seed, owner } = value;
  if (typeof writer !== 'string' || typeof n !== 'number' || typeof seed !== 'number' || !isHolder(owner)) return null;
  return { writer, n, seed, holder: owner };
}

function isHolder(value: unknown): value is HolderRow {
  if (typeof value !== 'object' || value === null) return false;
  const holder: Partial<Record<keyof HolderRow, unknown>> = value;
  const texts = [holder.machine, holder.startTime].every((text) => text === null || typeof text === 'string');
  return (
    texts &&
    typeof holder.id === 'string' &&
    typeof holder.host === 'string' &&
    (holder.pid === null || typeof holder.pid === 'number')
  );
}
