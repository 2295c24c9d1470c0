/**
 * The unit of a segment file:
 *
 *   magic u32 | body length u32 | CRC-32 of the body u32 | body
 *   body: type u8 | exec number u32 | seq u32 | time f64 | stdout offset f64 | stderr offset f64 | payload
 *
 * little-endian; time in milliseconds since the epoch. The offsets count the bytes of each stream before this frame,
 * kept or not, so that what is missing between two frames is known to the byte. The CRC is seeded with a number
 * from the segment's first frame: output of a command that looks like a frame is not taken for one, even where a damaged
 * file is searched for the next good frame.
 */
import { crc32 } from 'node:zlib';

export const frameTypes = {
  /** The first frame of a segment (JSON): who writes it. Its CRC is not seeded. */
  segment: 0,
  started: 1,
  stdout: 2,
  stderr: 3,
  /** Bytes that are in the exec's own file: file offset f64, length u32. */
  stdoutSpill: 4,
  stderrSpill: 5,
  exit: 6,
  /** Earlier versions wrote it: the exec never was, since another process had recorded its id already. */
  voided: 7,
} as const;

export type FrameType = (typeof frameTypes)[keyof typeof frameTypes];

export interface FrameHead {
  readonly type: FrameType;
  readonly number: number;
  readonly seq: number;
  readonly time: number;
  readonly stdoutOffset: number;
  readonly stderrOffset: number;
}

export interface Frame extends FrameHead {
  /** Shares memory with the buffer it was read from. */
  readonly payload: Buffer;
}

const magic = 0x315a4a43;
const prefixBytes = 12;
const headBytes = 33;
export const frameOverheadBytes = prefixBytes + headBytes;
/** Nothing we write is longer; a length beyond it is damage. */
export const maxFrameBytes = 1024 * 1024;

/** Writes one frame into `buffer` and gives the index after it. The buffer must have room. */
export function putFrame(
  buffer: Buffer,
  at: number,
  { head, payload, seed }: { head: FrameHead; payload: Uint8Array; seed: number },
): number {
  const body = at + prefixBytes;
  const end = body + headBytes + payload.length;
  buffer.writeUInt8(head.type, body);
  buffer.writeUInt32LE(head.number, body + 1);
  buffer.writeUInt32LE(head.seq, body + 5);
  buffer.writeDoubleLE(head.time, body + 9);
  buffer.writeDoubleLE(head.stdoutOffset, body + 17);
  buffer.writeDoubleLE(head.stderrOffset, body + 25);
  buffer.set(payload, body + headBytes);
  buffer.writeUInt32LE(magic, at);
  buffer.writeUInt32LE(end - body, at + 4);
  buffer.writeUInt32LE(crc32(buffer.subarray(body, end), seed), at + 8);
  return end;
}

export type FrameRead =
  | { readonly kind: 'frame'; readonly frame: Frame; readonly next: number }
  /** More bytes are needed: `needed` from `at` on, as far as can be said. */
  | { readonly kind: 'short'; readonly needed: number }
  | { readonly kind: 'damaged' };

/** Reads the frame at `at`. Of a damaged frame nothing is believed, not even its length. */
export function takeFrame(buffer: Buffer, at: number, seed: number): FrameRead {
  const left = buffer.length - at;
  if (left < frameOverheadBytes) return { kind: 'short', needed: frameOverheadBytes };
  if (buffer.readUInt32LE(at) !== magic) return { kind: 'damaged' };
  const length = buffer.readUInt32LE(at + 4);
  if (length < headBytes || length > maxFrameBytes) return { kind: 'damaged' };
  if (left < prefixBytes + length) return { kind: 'short', needed: prefixBytes + length };
  const body = at + prefixBytes;
  const next = body + length;
  const type = frameTypeOf(buffer.readUInt8(body));
  if (type === null || buffer.readUInt32LE(at + 8) !== crc32(buffer.subarray(body, next), seed))
    return { kind: 'damaged' };
  const frame: Frame = {
    type,
    number: buffer.readUInt32LE(body + 1),
    seq: buffer.readUInt32LE(body + 5),
    time: buffer.readDoubleLE(body + 9),
    stdoutOffset: buffer.readDoubleLE(body + 17),
    stderrOffset: buffer.readDoubleLE(body + 25),
    payload: buffer.subarray(body + headBytes, next),
  };
  return { kind: 'frame', frame, next };
}

const magicBytes = Buffer.from('CJZ1', 'latin1');

/** Bytes at the end of a buffer that may be the beginning of a magic. */
export const magicTail = magicBytes.length - 1;

/** Offset of the next possible frame, from `at` on; -1 when the buffer holds no such place. */
export function findMagic(buffer: Buffer, at: number): number {
  return buffer.indexOf(magicBytes, at);
}

const types = new Set<number>(Object.values(frameTypes));

function frameTypeOf(byte: number): FrameType | null {
  return isFrameType(byte) ? byte : null;
}

function isFrameType(byte: number): byte is FrameType {
  return types.has(byte);
}
