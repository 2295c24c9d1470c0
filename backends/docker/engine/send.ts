/** A request of which the caller learns when it has left: the engine carries it out also without this process. */
import type { IncomingMessage } from 'node:http';
import { toEngineError } from './fault.ts';
import { raw, type Way } from './hijack.ts';
import { parse } from './json.ts';
import type { Request } from './rest.ts';

export interface Sending extends Pick<Request, 'what' | 'method' | 'path'> {
  /** Called once the request is with the system. */
  readonly onSent: () => void;
}

const maxErrorBytes = 64 * 1024;

/** Resolves with the engine's answer, whose body is of no interest. */
export async function send(way: Way, { what, method, path, onSent }: Sending): Promise<void> {
  const request = raw(way, { method, path });
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.on('response', resolve).on('error', reject).on('finish', onSent).end();
  try {
    const response = await promise;
    const json = parse(await readBody(response));
    const { statusCode = 0 } = response;
    if (statusCode < 200 || statusCode > 299)
      throw Object.assign(new Error(`status ${statusCode}`), { statusCode, json });
  } catch (error) {
    throw toEngineError(error, { what, endpoint: way.endpoint });
  }
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response.iterator()) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes <= maxErrorBytes) chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
