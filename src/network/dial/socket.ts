/** A TCP connection to one of several addresses, which were judged a moment before. */
import { connect, type Socket } from 'node:net';
import { abortError, CaissonError } from '../../errors.ts';
import { maxAttempts, type Reach } from './reach.ts';

export interface DialSocketInput {
  /** For one address. */
  readonly connectTimeoutMs: number;
  readonly reach: Reach;
  readonly signal: AbortSignal;
}

export interface Dialled {
  readonly socket: Socket;
  readonly address: string;
}

/** In turn. Throws `unavailable` when none answers. */
export async function openSocket(addresses: readonly string[], port: number, parts: DialSocketInput): Promise<Dialled> {
  let failure: unknown;
  for (const address of addresses.slice(0, maxAttempts))
    try {
      const to = parts.reach(address, port);
      return { socket: await opened(to.address, to.port, parts), address };
    } catch (error) {
      if (parts.signal.aborted) throw abortError(parts.signal);
      failure = error;
    }
  const code = failure instanceof Error && 'code' in failure && typeof failure.code === 'string' ? failure.code : null;
  throw new CaissonError('unavailable', `no address answers${code === null ? '' : `: ${code}`}`, { cause: failure });
}

function opened(host: string, port: number, { connectTimeoutMs, signal }: DialSocketInput): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
  const giveUp = (): void => void socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }));
  const timer = setTimeout(giveUp, connectTimeoutMs);
  const settle = (): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  };
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  socket.once('connect', () => {
    settle();
    socket.off('error', reject);
    resolve(socket);
  });
  socket.once('error', reject).once('close', settle);
  return promise;
}
