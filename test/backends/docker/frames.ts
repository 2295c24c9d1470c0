/** The engine's multiplexed stream, written and read the plain way: what the demultiplexer is compared with. */
export interface Frame {
  readonly type: 0 | 1 | 2;
  readonly payload: Uint8Array;
}

export function encode(frames: readonly Frame[]): Buffer {
  return Buffer.concat(frames.flatMap(({ type, payload }) => [header(type, payload.length), payload]));
}

export function header(type: number, length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes[0] = type;
  bytes.writeUInt32BE(length, 4);
  return bytes;
}

export function joined(frames: readonly Frame[], stream: 'stdout' | 'stderr'): Buffer {
  return Buffer.concat(
    frames.filter(({ type }) => (type === 2) === (stream === 'stderr')).map(({ payload }) => payload),
  );
}

/** Cuts at the given places, wherever they fall. */
export function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...sorted].map((from, index) => Buffer.from(bytes.subarray(from, sorted[index] ?? bytes.length)));
}
