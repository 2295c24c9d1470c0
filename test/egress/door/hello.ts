/** TLS hellos made by hand: RFC 8446, 4.1.2. */

const sized = (bytes: Buffer, lengthBytes: number): Buffer => {
  const head = Buffer.alloc(lengthBytes);
  head.writeUIntBE(bytes.length, 0, lengthBytes);
  return Buffer.concat([head, bytes]);
};

export function extension(type: number, content: Buffer): Buffer {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(type, 0);
  return Buffer.concat([head, sized(content, 2)]);
}

export function serverName(...names: readonly string[]): Buffer {
  const entries = names.map((name) => Buffer.concat([Buffer.from([0]), sized(Buffer.from(name, 'latin1'), 2)]));
  return extension(0, sized(Buffer.concat(entries), 2));
}

/** The handshake message. `behind`: what stands behind its extensions, which nothing may. */
export function helloBytes(extensions: readonly Buffer[], behind: Buffer = Buffer.alloc(0)): Buffer {
  const fixed = Buffer.concat([Buffer.from([3, 3]), Buffer.alloc(32), Buffer.from([0, 0, 2, 0x13, 1, 1, 0])]);
  const body = Buffer.concat([fixed, sized(Buffer.concat(extensions), 2), behind]);
  return Buffer.concat([Buffer.from([1]), sized(body, 3)]);
}

/** The message in so many records. */
export function records(message: Buffer, count: number): Buffer {
  const size = count === 1 ? message.length : Math.ceil(message.length / count);
  const cut = Array.from({ length: Math.ceil(message.length / size) }, (_, at) =>
    message.subarray(at * size, (at + 1) * size),
  );
  return Buffer.concat(cut.map((part) => Buffer.concat([Buffer.from([22, 3, 1]), sized(part, 2)])));
}
