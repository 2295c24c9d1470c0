/** A web server that receives webhooks, and checks their signatures by itself. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface Received {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly event: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
  readonly isSigned: boolean;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
}

export const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** `answer` gets the number of the call, from 0. */
export async function receiver(answer: (response: ServerResponse, count: number) => unknown): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const { headers, url = '', method = '' } = request;
      received.push({ path: url, method, headers, event: JSON.parse(String(body)), isSigned: verify(headers, body) });
      answer(response, received.length - 1);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/hook/secret-path`,
    received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function verify(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const stamp = Number(headers['webhook-timestamp']);
  if (Math.abs(Date.now() / 1000 - stamp) > 300) return false;
  const hmac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'));
  const signed = `${String(headers['webhook-id'])}.${stamp}.${body.toString()}`;
  const expected = Buffer.from(`v1,${hmac.update(signed).digest('base64')}`);
  const given = Buffer.from(String(headers['webhook-signature']));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Until it holds. Fails after ten seconds. */
export async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 10_000; !holds();) {
    if (Date.now() > end) throw new Error('it never came to hold');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
