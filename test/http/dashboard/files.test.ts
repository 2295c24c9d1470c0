import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { behindTicket, downloadHeaders, downloadTicketOf } from '../../../src/http/dashboard/downloads.ts';
import { readBuilt } from '../../../src/http/dashboard/files.ts';
import { pageHeaders } from '../../../src/http/dashboard/headers.ts';

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'caisson-built-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('a page that was not built is absent', () => expect(readBuilt(directory)).toBeNull());

it('files of known kinds are held, as they are and compressed, and no others', () => {
  mkdirSync(join(directory, 'assets'));
  writeFileSync(join(directory, 'index.html'), '<p>__CSP_NONCE__</p>');
  for (const name of ['a.js', 'a.css', 'a.js.map', '.env', 'b.html'])
    writeFileSync(join(directory, 'assets', name), name.repeat(100));
  const built = readBuilt(directory) ?? expect.unreachable();
  expect(built.page).toContain('__CSP_NONCE__');
  expect([...built.assets.keys()].toSorted()).toEqual(['a.css', 'a.js']);
  const script = built.assets.get('a.js') ?? expect.unreachable();
  expect([script.type, gunzipSync(script.gzip).equals(script.bytes)]).toEqual(['text/javascript; charset=utf-8', true]);
});

it('the page runs scripts of the service alone, and takes no text for code', () => {
  const policy = pageHeaders('abc')['content-security-policy'] ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-abc';");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
});

const ticket = 't'.repeat(43);
const file = '/v1/sandboxes/build/files?path=%2Fa';

const asked = (url: string, method = 'GET') => Object({ url, method }) as IncomingMessage;

it.each([file, '/v1/sandboxes/build/files/archive?path=%2Fa'])(
  'a ticket before %s is taken off for the router',
  (path) => {
    const request = asked(`/downloads/${ticket}${path}`);
    expect(behindTicket(request)).toBe(path);
    expect(downloadTicketOf(Object({ raw: request }) as FastifyRequest)).toBe(ticket);
  },
);

it.each([
  [`/downloads/${ticket}${file}`, 'PUT'],
  [`/downloads/${ticket}/v1/sandboxes/build/files/list?path=%2Fa`, 'GET'],
  [`/downloads/${ticket}/v1/sandboxes?x=/files?path=`, 'GET'],
  [`/downloads/${ticket.slice(1)}${file}`, 'GET'],
  [`/x/downloads/${ticket}${file}`, 'GET'],
  [file, 'GET'],
])('%s by %s stays as it is', (url, method) => {
  const request = asked(url, method);
  expect(behindTicket(request)).toBe(url);
  const wrapped = Object({ raw: request }) as FastifyRequest;
  expect([downloadTicketOf(wrapped), downloadHeaders(wrapped)]).toEqual([null, {}]);
});

it.each([
  ['/a/..', "attachment; filename*=UTF-8''_"],
  ['/a/x\r\nset-cookie: a', "attachment; filename*=UTF-8''x__set-cookie_%20a"],
  ['/a/\u202egnp.exe', "attachment; filename*=UTF-8''_gnp.exe"],
  ['/a/ä.txt', "attachment; filename*=UTF-8''%C3%A4.txt"],
  ['/', "attachment; filename*=UTF-8''files"],
])('a file at %j is saved under a harmless name', (path, disposition) => {
  const url = `/v1/sandboxes/build/files?path=${encodeURIComponent(path)}`;
  const request = asked(`/downloads/${ticket}${url}`);
  request.url = behindTicket(request);
  const headers = downloadHeaders(Object({ raw: request }) as FastifyRequest);
  expect(headers['content-disposition']).toBe(disposition);
  expect(headers['content-security-policy']).toBe("sandbox; default-src 'none'");
});
