/** One request and its answer on a connection. */
import { CaissonError } from '../../errors.ts';
import type { WireRequest, WireResponse } from '../transport.ts';
import { readBody } from './body.ts';
import { type Connection, destroyOnAbort } from './connection.ts';
import { framingOf, type Head, readHead } from './head.ts';
import { connectionCutError } from './incoming.ts';
import { send } from './send.ts';

/** `keep` is called when the connection can carry another request; in every other case it is destroyed. */
export async function exchange(connection: Connection, request: WireRequest, keep: () => void): Promise<WireResponse> {
  const { socket, incoming } = connection;
  const release = destroyOnAbort(socket, request.signal);
  let isSent = false;
  // An answer may come before the request is sent as a whole: it says why the rest is not wanted.
  void send(socket, request).then(
    () => void (isSent = true),
    (error: unknown) => void socket.destroy(typedError(error)),
  );
  try {
    const head = await readHead(incoming);
    const framing = framingOf(head);
    const over = (): void => {
      release();
      if (isSent && framing !== 'until-close' && staysOpen(head)) keep();
      else socket.destroy();
    };
    if (typeof framing === 'object' && framing.bytes === 0) {
      over();
      return { ...head, body: none() };
    }
    return { ...head, body: bodyOf(connection, readBody(incoming, framing), over) };
  } catch (error) {
    release();
    socket.destroy();
    throw typedError(error);
  }
}

async function* bodyOf(
  { socket }: Connection,
  parts: AsyncIterable<Uint8Array>,
  over: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  let isWhole = false;
  try {
    yield* parts;
    isWhole = true;
  } catch (error) {
    throw typedError(error);
  } finally {
    if (!isWhole) socket.destroy();
    over();
  }
}

// oxlint-disable-next-line require-yield -- an answer without a body
async function* none(): AsyncGenerator<Uint8Array, void, void> {}

function staysOpen({ headers: { connection } }: Head): boolean {
  return connection?.toLowerCase() !== 'close';
}

function typedError(error: unknown): CaissonError {
  return error instanceof CaissonError ? error : connectionCutError(error);
}
