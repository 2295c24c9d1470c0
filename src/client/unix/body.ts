/** The body of an HTTP/1.1 answer, as its framing delimits it. */
import { readFields, type Framing } from './head.ts';
import { protocolError, connectionCutError, type Incoming } from './incoming.ts';

/** Longest line with the size of a chunk, including its extensions, which are passed over. */
const maxSizeLineBytes = 1024;

/** Resolves at the end of the body; after that the connection may carry another request, unless it is `until-close`. */
export async function* readBody(incoming: Incoming, framing: Framing): AsyncGenerator<Uint8Array, void, void> {
  if (framing === 'chunked') yield* chunked(incoming);
  else if (framing === 'until-close') yield* untilClose(incoming);
  else yield* counted(incoming, framing.bytes);
}

async function* counted(incoming: Incoming, count: number): AsyncGenerator<Uint8Array, void, void> {
  for (let left = count; left > 0;) {
    const part = await incoming.some(left);
    if (part === null) throw connectionCutError();
    left -= part.length;
    yield part;
  }
}

async function* chunked(incoming: Incoming): AsyncGenerator<Uint8Array, void, void> {
  for (;;) {
    const line = await incoming.line(maxSizeLineBytes);
    const digits = /^([0-9A-Fa-f]{1,12})[ \t]*(?:;|$)/.exec(line)?.[1];
    if (digits === undefined) throw protocolError('a chunk of its body has no size');
    const size = Number.parseInt(digits, 16);
    if (size === 0) break;
    yield* counted(incoming, size);
    if ((await incoming.line(2)) !== '') throw protocolError('a chunk of its body is longer than its size');
  }
  await readFields(incoming);
}

async function* untilClose(incoming: Incoming): AsyncGenerator<Uint8Array, void, void> {
  for (let part = await incoming.some(); part !== null; part = await incoming.some()) yield part;
}
