/** Frames of a WebSocket (RFC 6455), as a client writes and reads them. */
import { randomFillSync } from 'node:crypto';
import { protocolError, type Incoming } from './incoming.ts';

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface Frame {
  readonly isFinal: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
}

/** A message of the service is one event, or a part of an output. */
export const maxMessageBytes = 16 * 1024 * 1024;
const maxControlBytes = 125;

/** Masked, as every frame of a client (5.3). */
export function frameOf(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  const lengthBytes = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const start = 2 + lengthBytes + 4;
  const frame = Buffer.allocUnsafe(start + length);
  frame[0] = 0x80 | opcode;
  frame[1] = 0x80 | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127);
  if (lengthBytes === 2) frame.writeUInt16BE(length, 2);
  if (lengthBytes === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  randomFillSync(frame, start - 4, 4);
  for (let at = 0; at < length; at += 1) frame[start + at] = (payload[at] ?? 0) ^ (frame[start - 4 + (at & 3)] ?? 0);
  return frame;
}

/** Throws `internal` for what a server must not send: masked, reserved, or too long. */
export async function readFrame(incoming: Incoming): Promise<Frame> {
  const [first = 0, second = 0] = await incoming.exactly(2);
  const opcode = first & 0x0f;
  const isFinal = (first & 0x80) !== 0;
  const short = second & 0x7f;
  if ((first & 0x70) !== 0 || (second & 0x80) !== 0) throw protocolError('a frame has reserved bits, or a mask');
  if (opcode >= 8 && (!isFinal || short > maxControlBytes)) throw protocolError('a control frame is too long');
  const length =
    short === 126 ? (await incoming.exactly(2)).readUInt16BE() : short === 127 ? await longOf(incoming) : short;
  if (length > maxMessageBytes) throw protocolError('a frame is too long');
  return { isFinal, opcode, payload: await incoming.exactly(length) };
}

async function longOf(incoming: Incoming): Promise<number> {
  return Number((await incoming.exactly(8)).readBigUInt64BE());
}
