/** A request in plain HTTP: sent on by a connection of its own, in words of the proxy's own. */
import { type ClientRequest, type IncomingMessage, request as send, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answer, refusalText } from './answers.ts';
import type { DoorLimits } from './limits.ts';
import { keptHeaders, type PlainRequest } from './request.ts';
import type { Visit } from './visit.ts';

export interface PlainInput {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly visit: Visit;
  readonly limits: DoorLimits;
}

/** Never rejects; ends with the answer. */
export async function servePlain(asked: PlainRequest, parts: PlainInput): Promise<void> {
  const { request, response, visit } = parts;
  request.on('error', () => undefined);
  const gone = closed(response);
  void gone.then(() => response.writableFinished || visit.abort());
  const admission = await visit.admit(asked.target);
  visit.checked = 'host-header';
  if (admission.socket === null) {
    const { decision, status } = admission;
    // On record before the client reads it, and its command ends.
    visit.end();
    answer(response, status, refusalText(asked.target, decision, status));
  } else sendOn(asked, admission.socket, parts);
  await gone;
  visit.end();
}

function sendOn(asked: PlainRequest, socket: Socket, parts: PlainInput): void {
  const { request, response, visit, limits } = parts;
  const { method, path, headers } = asked;
  const sent = send({
    createConnection: () => socket,
    method,
    path,
    headers: [...headers],
    setHost: false,
    maxHeaderSize: limits.maxHeadBytes,
  });
  socket.setTimeout(limits.idleTimeoutMs, () => void socket.destroy());
  visit.signal.addEventListener('abort', () => {
    for (const each of [sent, socket, response]) each.destroy();
  });
  const timer = setTimeout(() => void sent.destroy(), limits.answerTimeoutMs);
  // Whatever ends it before there is an answer: an error, the timer, another protocol.
  const fail = (): void => answer(response, 502, refusalText(asked.target, noRule, 502));
  sent.on('error', () => undefined).once('close', fail);
  sent.once('response', (answered) => {
    clearTimeout(timer);
    sent.off('close', fail);
    passOn(answered, response, sent);
  });
  sent.once('close', () => clearTimeout(timer));
  request.pipe(sent);
}

const noRule = { verdict: 'allow', rule: '', reason: '' } as const;

function passOn(answered: IncomingMessage, response: ServerResponse, sent: ClientRequest): void {
  const { statusCode = 502, rawHeaders, headers } = answered;
  // A length beside a coding is not the length (RFC 9112, 6.3).
  const kept = keptHeaders(rawHeaders.filter((_, at) => !isStaleLength(rawHeaders, at, headers)));
  answered.on('error', () => void response.destroy());
  answered.once('aborted', () => void response.destroy());
  try {
    response.writeHead(statusCode, [...kept]);
  } catch {
    sent.destroy();
    return answer(response, 502, 'caisson: the answer is malformed');
  }
  answered.pipe(response);
}

function isStaleLength(raw: readonly string[], at: number, headers: IncomingMessage['headers']): boolean {
  const name = raw[at - (at % 2)] ?? '';
  return headers['transfer-encoding'] !== undefined && name.toLowerCase() === 'content-length';
}

function closed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.closed) resolve();
    else response.once('close', () => resolve());
  });
}
