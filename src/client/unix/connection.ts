/** One connection to the socket of a service. */
import { connect as connectTo, type Socket } from 'node:net';
import { abortError, CaissonError } from '../../errors.ts';
import { Incoming } from './incoming.ts';

export interface Connection {
  readonly socket: Socket;
  readonly incoming: Incoming;
}

/** Throws `unavailable`: `details.errno` says why, and that nothing was sent. */
export async function connect(path: string, signal?: AbortSignal): Promise<Connection> {
  if (signal?.aborted === true) throw abortError(signal);
  const socket = connectTo({ path });
  const incoming = new Incoming(socket);
  const release = destroyOnAbort(socket, signal);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
  } catch (error) {
    throw error instanceof CaissonError ? error : socketError(error);
  } finally {
    release();
  }
  return { socket, incoming };
}

/** The returned function ends that. */
export function destroyOnAbort(socket: Socket, signal?: AbortSignal): () => void {
  if (signal === undefined) return () => undefined;
  const abort = (): void => void socket.destroy(abortError(signal));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}

function socketError(cause: unknown): CaissonError {
  const errno = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : null;
  return new CaissonError('unavailable', `the service does not answer on its socket (${errno ?? 'no reason given'})`, {
    cause,
    details: { sent: false, errno },
    remedy: 'caisson service status shows whether it runs',
  });
}
