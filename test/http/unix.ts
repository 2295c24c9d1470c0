/** Requests over a unix socket, with the parser of Node alone. */
import { request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export interface UnixRequest {
  readonly method?: string;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export function askSocket(
  socketPath: string,
  path: string,
  { method, token, headers, body }: UnixRequest = {},
): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request({
      socketPath,
      path,
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        accept: 'application/json',
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined || token === null ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
    });
    sent.once('error', reject).once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject);
      response.once('end', () => {
        const answer = Buffer.concat(chunks).toString();
        const isJson = /^application\/(?:problem\+)?json/.test(response.headers['content-type'] ?? '');
        const parsed: unknown = isJson ? JSON.parse(answer) : {};
        resolve({ status: response.statusCode ?? 0, body: Object(parsed), text: answer });
      });
    });
    sent.end(text);
  });
}
