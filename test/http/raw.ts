/** Requests byte by byte, as no client library would send them. */
import { connect } from 'node:net';
import { WebSocket } from 'ws';

export interface Raw {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** The first answer to these lines; the connection is closed after it. */
export function send(port: number, lines: readonly string[], body = ''): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const done = (): void => {
      const [head = '', ...rest] = text.split('\r\n\r\n');
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, body: rest.join('\r\n\r\n') });
      socket.destroy();
    };
    socket.setTimeout(10_000, done);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (/\r\n\r\n[^]*\}\s*(?:0\r\n\r\n)?$/.test(text) || text.startsWith('HTTP/1.1 101')) done();
    });
    socket.once('error', reject).once('close', done);
    socket.write([...lines, '', ''].join('\r\n') + body);
  });
}

export const upgrade = (path: string, ...more: readonly string[]): readonly string[] => [
  `GET ${path} HTTP/1.1`,
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ...more,
];

export interface RawSocket {
  readonly socket: WebSocket;
  /** What came: text frames as objects, binary frames as bytes. */
  readonly events: Readonly<Record<string, unknown>>[];
  readonly output: () => string;
  readonly until: (done: () => boolean) => Promise<void>;
  readonly closed: Promise<number>;
}

/** Rejects with the status when the upgrade is refused. */
export function openSocket(
  url: string,
  { token, protocols = ['caisson.v1'] }: { readonly token?: string; readonly protocols?: readonly string[] },
): Promise<RawSocket> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(url.replace('http:', 'ws:'), [...protocols], { headers });
  const events: Readonly<Record<string, unknown>>[] = [];
  const chunks: Buffer[] = [];
  socket.on('message', (data, isBinary) => {
    const bytes = Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]);
    if (isBinary) chunks.push(bytes);
    else events.push(Object(JSON.parse(bytes.toString())));
  });
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  const until = async (done: () => boolean): Promise<void> => {
    for (let tries = 0; !done(); tries++) {
      if (tries > 1000)
        throw new Error(`it did not come: ${JSON.stringify(events)} ${Buffer.concat(chunks).toString()}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  return new Promise((resolve, reject) => {
    socket.once('open', () =>
      resolve({ socket, events, output: () => Buffer.concat(chunks).toString(), until, closed }),
    );
    socket.once('unexpected-response', (_request, response) => reject(new Error(String(response.statusCode))));
    socket.once('error', reject);
  });
}
