/**
 * The name that a TLS client asks for, from the first bytes that it sends: RFC 8446, 4.1.2 and 5.1; RFC 6066, 3. The bytes
 * are a sandbox's: every length is checked against what is there, and against a bound. Pure.
 */

export type Hello =
  /** The beginning of a hello. */
  | { readonly kind: 'part' }
  /** Lower case. `null`: it names none, as towards an address. */
  | { readonly kind: 'hello'; readonly serverName: string | null }
  | { readonly kind: 'refused'; readonly reason: string };

/** Hellos of today have 2 KiB, with keys that resist quantum computers. */
const maxHelloBytes = 16 * 1024;
const maxRecordBytes = 16 * 1024;
/** A client may cut its hello into records; each more costs work here. */
const maxRecords = 16;
const recordHeadBytes = 5;
const messageHeadBytes = 4;
/** No hello needs more bytes than these to be read. */
export const maxFirstBytes = maxHelloBytes + maxRecords * recordHeadBytes + maxRecordBytes;

const handshake = 22;
const clientHello = 1;
const extensions = { serverName: 0, encryptedHello: 0xfe0d } as const;

export function readHello(bytes: Buffer): Hello {
  const message = messageIn(bytes);
  if (!Buffer.isBuffer(message)) return message;
  try {
    return helloOf(message);
  } catch (error) {
    if (error instanceof RangeError) return refused('the TLS hello is malformed');
    throw error;
  }
}

/** The hello without its head, put together from the records that hold it. */
function messageIn(bytes: Buffer): Buffer | Hello {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    if (bytes[at] !== handshake) return refused('it does not begin with a TLS hello');
    if (parts.length === maxRecords) return refused('the TLS hello is cut into too many records');
    if (bytes.length < at + recordHeadBytes) break;
    const length = bytes.readUInt16BE(at + 3);
    if (bytes[at + 1] !== 3 || length === 0 || length > maxRecordBytes) return refused('the TLS record is malformed');
    const end = at + recordHeadBytes + length;
    if (bytes.length < end) break;
    parts.push(bytes.subarray(at + recordHeadBytes, end));
    const message = wholeOf(Buffer.concat(parts));
    if (message !== null) return message;
    at = end;
  }
  return { kind: 'part' };
}

/** `null`: more is to come. */
function wholeOf(message: Buffer): Buffer | Hello | null {
  if (message[0] !== clientHello) return refused('it does not begin with a TLS hello');
  if (message.length < messageHeadBytes) return null;
  const length = message.readUIntBE(1, 3);
  if (length > maxHelloBytes) return refused('the TLS hello is too long');
  const end = messageHeadBytes + length;
  return message.length < end ? null : message.subarray(messageHeadBytes, end);
}

function helloOf(message: Buffer): Hello {
  const body = new Reader(message);
  body.skip(2 + 32); // version, random
  body.skip(body.number(1)); // session
  body.skip(body.number(2)); // cipher suites
  body.skip(body.number(1)); // compression
  let serverName: string | null = null;
  const seen = new Set<number>();
  // TLS 1.2 allows a hello without extensions.
  const list = body.isAtEnd ? body : body.part(2);
  while (!list.isAtEnd) {
    const type = list.number(2);
    const content = list.part(2);
    if (seen.has(type)) return refused('the TLS hello has an extension twice');
    seen.add(type);
    // The name inside is another one, or nothing at all: both look the same from here.
    if (type === extensions.encryptedHello) return refused('the TLS hello has an encrypted name (ECH)');
    if (type === extensions.serverName) serverName = nameOf(content);
  }
  if (!body.isAtEnd) return refused('the TLS hello is malformed');
  return { kind: 'hello', serverName };
}

/** RFC 6066, 3: at most one name of each type, and no other type was ever defined. */
function nameOf(content: Reader): string {
  const list = content.part(2);
  const type = list.number(1);
  const name = list.part(2).rest();
  if (type !== 0 || !list.isAtEnd || !content.isAtEnd || !/^[\x21-\x7e]{1,255}$/.test(name))
    throw new RangeError('name');
  return name.toLowerCase();
}

/** Throws RangeError where more is wanted than is there. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  number(bytes: 1 | 2): number {
    return this.#take(bytes).readUIntBE(0, bytes);
  }

  skip(bytes: number): void {
    this.#take(bytes);
  }

  /** What a length in front of it spans. */
  part(lengthBytes: 1 | 2): Reader {
    return new Reader(this.#take(this.number(lengthBytes)));
  }

  rest(): string {
    return this.#take(this.#bytes.length - this.#at).toString('latin1');
  }

  #take(bytes: number): Buffer {
    const end = this.#at + bytes;
    if (end > this.#bytes.length) throw new RangeError('short');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}

const refused = (reason: string): Hello => ({ kind: 'refused', reason });
