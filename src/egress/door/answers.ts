/** What the proxy itself answers. The words go to a sandbox: no path of this host, no address that a name has. */
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Decision, Target } from './types.ts';

export type Status = 400 | 403 | 408 | 431 | 502 | 503;

const phrases: Readonly<Record<Status, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

/** How long a client may take to read the last words. */
const lingerMs = 1000;

/** The rest of the request is not read: its connection ends with the answer. */
export function answer(response: ServerResponse, status: Status, text: string): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  response.shouldKeepAlive = false;
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${text}\n`);
}

/** Answers on the bare connection. Reads what still comes, since the kernel would otherwise throw the answer away. */
export function answerRaw(client: Duplex, status: Status, text: string): void {
  if (!client.writable) return void client.destroy();
  const timer = setTimeout(() => void client.destroy(), lingerMs);
  client.once('close', () => clearTimeout(timer)).once('end', () => void client.destroy());
  client.resume().end(message(status, text));
}

function message(status: Status, text: string): string {
  const lines = [`HTTP/1.1 ${status} ${phrases[status]}`, ...headerLines(text)];
  return `${lines.join('\r\n')}\r\n\r\n${text}\n`;
}

function headerLines(text: string): readonly string[] {
  return [
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(text) + 1}`,
    'connection: close',
  ];
}

export function refusalText({ name, port }: Target, { rule }: Decision, status: 403 | 502): string {
  const place = `${name.includes(':') ? `[${name}]` : name}:${port}`;
  return status === 403 ? `caisson: ${place} is not allowed (${rule})` : `caisson: ${place} does not answer`;
}
