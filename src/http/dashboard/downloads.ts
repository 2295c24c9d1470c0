/**
 * `/downloads/TICKET/v1/...`: a file of a sandbox for a browser that saves it by itself, which sends no header with that. The ticket is
 * of a login, for this path, once and for 30 seconds; what comes is always saved and never shown in this origin.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

const prefix = /^\/downloads\/([A-Za-z0-9_-]{43})(\/v1\/sandboxes\/[^/?]+\/files(?:\/archive)?\?.*)$/;
const tickets = new WeakMap<IncomingMessage, string>();

/** For the router, which sees the path behind the ticket. Anything else stays. */
export function behindTicket(request: IncomingMessage): string {
  const { url = '/', method } = request;
  const [, ticket, path] = (method === 'GET' ? prefix.exec(url) : null) ?? [];
  if (ticket === undefined || path === undefined) return url;
  tickets.set(request, ticket);
  return path;
}

/** `null`: it is an ordinary request. */
export const downloadTicketOf = ({ raw }: FastifyRequest): string | null => tickets.get(raw) ?? null;

/** Headers of the answer to one; of any other request, none. */
export function downloadHeaders(request: FastifyRequest): Readonly<Record<string, string>> {
  if (downloadTicketOf(request) === null) return {};
  const { url = '' } = request.raw;
  const path = URL.parse(url, 'http://service')?.searchParams.get('path') ?? '';
  const name = `${saveName(path)}${/\/archive\?/.test(url) ? '.tar' : ''}`;
  return {
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", '%27')}`,
    'content-security-policy': "sandbox; default-src 'none'",
    'cross-origin-resource-policy': 'same-origin',
  };
}

/** The last part of a path without what a disk of another system, or a person, might read otherwise. */
function saveName(path: string): string {
  const last = path.split('/').filter(Boolean).at(-1) ?? 'files';
  const kept = last
    .toWellFormed()
    .replaceAll(/[\p{C}\\:*?"<>|\u2028\u2029]/gu, '_')
    .replace(/^\.+/, '_');
  return [...kept].slice(0, 100).join('');
}
