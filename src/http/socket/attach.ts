/**
 * Joins a socket and an exec. Binary frames of the client are its stdin; text frames are JSON: `{"type":"resize","columns","rows"}`,
 * `{"type":"end"}` ends stdin, `{"type":"cancel"}` kills it. The exec does not end with the socket.
 */
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { toCaissonError } from '../../errors.ts';
import { problemOf } from '../problems.ts';
import type { StreamEvent } from '../stream/framing.ts';
import type { Reachable } from '../held/live.ts';

const maxUnsentBytes = 1024 * 1024;

export const closeCodes = { done: 1000, stopping: 1012, refused: 1008, failed: 1011 } as const;

const size = z.int().min(1).max(10_000);
const control = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('resize'), columns: size, rows: size }),
  z.strictObject({ type: z.literal('end') }),
  z.strictObject({ type: z.literal('cancel') }),
]);

/** `running` is `null` where this process does not run the exec: then it can only be watched. */
export function feedFrom(socket: WebSocket, running: Reachable | null): void {
  const stdin = running?.stdin ?? null;
  stdin?.on('error', () => undefined);
  // What is ended, or gone, does not drain any more; a socket that stays paused would not see its own end.
  for (const event of ['drain', 'finish', 'close']) stdin?.on(event, () => socket.resume());
  socket.on('message', (data, isBinary) => {
    const bytes = Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]);
    if (isBinary && stdin?.writable === true) {
      if (!stdin.write(bytes)) socket.pause();
    } else if (isBinary && stdin === null) socket.close(closeCodes.refused, 'this exec takes no stdin here');
    else if (!isBinary) act(socket, running, bytes.toString());
  });
}

function act(socket: WebSocket, running: Reachable | null, text: string): void {
  const wanted = control.safeParse(parsed(text));
  if (!wanted.success) return socket.close(closeCodes.refused, 'a text frame is no control message');
  const message = wanted.data;
  if (message.type === 'end') running?.stdin?.end();
  else if (message.type === 'cancel') running?.cancel().catch(() => undefined);
  // A terminal that has just ended has no size any more.
  else running?.resize?.(message.columns, message.rows).catch(() => undefined);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** `raw`: output goes as binary frames, each followed by a text frame that says where a new socket goes on. */
export async function sendTo(
  socket: WebSocket,
  events: AsyncIterable<StreamEvent>,
  { raw, requestId }: { readonly raw: boolean; readonly requestId: string },
): Promise<void> {
  let code: number = closeCodes.done;
  try {
    for await (const event of events) {
      if (socket.readyState !== socket.OPEN) return;
      if (event['type'] === 'closing') code = closeCodes.stopping;
      if (raw && typeof event['data'] === 'string') {
        socket.send(Buffer.from(event['data'], event['encoding'] === 'base64' ? 'base64' : 'utf8'));
        await written(socket, JSON.stringify({ type: 'position', seq: event['seq'] }));
      } else await written(socket, JSON.stringify(event));
    }
  } catch (error) {
    code = closeCodes.failed;
    await written(socket, JSON.stringify({ type: 'error', error: problemOf(toCaissonError(error), requestId) }));
  }
  socket.resume();
  socket.close(code);
}

/** Waits where a reader is slow: the record is on disk meanwhile. */
async function written(socket: WebSocket, text: string): Promise<void> {
  if (socket.bufferedAmount < maxUnsentBytes) return socket.send(text);
  await new Promise<void>((resolve) => socket.send(text, () => resolve()));
}
