/** The login of the dashboard, as a browser has it. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { logIn, withBoth } from './login.ts';
import { linesOf, openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(async () => await world[Symbol.asyncDispose]());

it('gives a cookie that no script reads, and a key, and says what the token may do', async () => {
  const answer = await world.ask('/login', { method: 'POST' });
  expect(answer.headers.get('set-cookie')).toMatch(
    /^caisson_page_[0-9a-f]{8}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  expect(await answer.json()).toMatchObject({
    key: expect.stringMatching(/^page_[\w-]{43}$/),
    token: { name: 'run-read-admin', owner: 'operator', scopes: ['run', 'read', 'admin'], isBound: false },
  });
});

it('both halves are the token: its scopes hold, and it sees what its owner has', async () => {
  const login = await logIn(world, await world.token('read'));
  expect((await world.ask('/v1/sandboxes', withBoth(login))).status).toBe(200);
  expect(await (await world.ask('/login', withBoth(login))).json()).toMatchObject({ token: login.token });
  const made = await world.ask('/v1/sandboxes', { ...withBoth(login), body: { taskId: 'half' } });
  expect(made.status).toBe(403);
});

it('a file is saved by a ticket of its login: once, with the cookie, and never shown in this origin', async () => {
  await world.ask('/v1/sandboxes', { body: { taskId: 'saved' } });
  const at = '/v1/sandboxes/saved/files';
  const html = '<script>alert(1)</script>';
  const type = { 'content-type': 'application/octet-stream' };
  const file = `${world.root}/"a'b.html`;
  // A browser encodes an apostrophe in a query too (url.spec.whatwg.org, special-query percent-encode set).
  const encoded = encodeURIComponent(file).replaceAll("'", '%27');
  const path = `${at}?path=${encoded}`;
  expect((await world.ask(path, { method: 'PUT', body: html, headers: type })).ok).toBe(true);
  const login = await logIn(world, await world.token('read'));
  const ticketFor = async (wanted: string): Promise<string> =>
    String(
      Object(await (await world.ask('/v1/tickets', { ...withBoth(login), body: { path: wanted } })).json()).ticket,
    );
  const { cookie } = login;
  const save = async (ticket: string, wanted: string, headers: Readonly<Record<string, string>> = { cookie }) =>
    await world.ask(`/downloads/${ticket}${wanted}`, { token: null, headers });
  const ticket = await ticketFor(path);
  const saved = await save(ticket, path);
  expect([saved.status, await saved.text()]).toEqual([200, html]);
  expect(
    ['content-disposition', 'content-security-policy', 'x-content-type-options', 'content-type'].map((name) =>
      saved.headers.get(name),
    ),
  ).toEqual([
    "attachment; filename*=UTF-8''_a%27b.html",
    "sandbox; default-src 'none'",
    'nosniff',
    'application/octet-stream',
  ]);
  expect((await save(ticket, path)).status).toBe(401);
  expect((await save(await ticketFor(path), path, {})).status).toBe(401);
  expect((await save(await ticketFor(path), `${at}?path=/etc/passwd`)).status).toBe(401);
  const other = await ticketFor('/v1/sandboxes');
  expect((await save(other, '/v1/sandboxes')).status).toBe(401);
  const whole = `${at}/archive?path=${encoded}`;
  const archive = await save(await ticketFor(whole), whole);
  expect([archive.status, archive.headers.get('content-disposition')]).toEqual([200, expect.stringMatching(/\.tar$/)]);
  await archive.arrayBuffer();
  await world.ask('/v1/sandboxes/saved', { method: 'DELETE' });
});

it('a cookie that a page on another port adds keeps no person out, and a login opens no other one', async () => {
  const login = await logIn(world);
  const name = login.cookie.split('=')[0] ?? '';
  const headers = { cookie: `${name}=${'A'.repeat(43)}; ${login.cookie}` };
  expect((await world.ask('/v1/sandboxes', { token: login.key, headers })).status).toBe(200);
  expect((await world.ask('/login', { method: 'POST', ...withBoth(login) })).status).toBe(403);
});

it('pages of one browser share its cookie, and a cookie that was made up is not taken', async () => {
  const first = await logIn(world);
  const second = await logIn(world, await world.token('read'), first.cookie);
  expect(second.cookie).toBe(first.cookie);
  expect((await world.ask('/v1/sandboxes', withBoth(first))).status).toBe(200);
  expect((await world.ask('/v1/sandboxes', withBoth(second))).status).toBe(200);
  const made = `${first.cookie.split('=')[0]}=${'B'.repeat(43)}`;
  expect((await logIn(world, world.agent, made)).cookie).not.toBe(made);
});

it('ends when its page logs out, and with its token: also what is streamed', async () => {
  const { id, token } = await world.api.tokens.create({ name: 'ends', scopes: ['read'] }, 'test');
  const [one, other] = [await logIn(world, token), await logIn(world, token)];
  expect((await world.ask('/login', { method: 'DELETE', ...withBoth(one) })).status).toBe(204);
  expect((await world.ask('/v1/sandboxes', withBoth(one))).status).toBe(401);
  const { headers, ...rest } = withBoth(other);
  const stream = await world.ask('/v1/events?follow=true', { ...rest, headers });
  const ended = Array.fromAsync(linesOf(stream)).then(
    () => 'ended',
    () => 'ended',
  );
  await world.api.tokens.remove(id, 'test');
  expect((await world.ask('/v1/sandboxes', withBoth(other))).status).toBe(401);
  expect(await ended).toBe('ended');
});

it('a ticket of a login opens its socket with the cookie alone beside it, once', async () => {
  await world.ask('/v1/sandboxes', { body: { taskId: 'socket' } });
  const login = await logIn(world);
  const path = '/v1/sandboxes/socket/pty?command=cat';
  const issue = async (): Promise<string> => {
    const answer = await world.ask('/v1/tickets', { ...withBoth(login), body: { path } });
    return String(Object(await answer.json()).ticket);
  };
  const open = async (ticket: string, headers: Readonly<Record<string, string>>): Promise<string> => {
    const { WebSocket } = await import('ws');
    const socket = new WebSocket(world.url.replace('http', 'ws') + path, ['caisson.v1', `caisson.ticket.${ticket}`], {
      headers,
    });
    return await new Promise((resolve) => {
      socket.once('open', () => resolve('open'));
      socket.once('error', () => resolve('refused'));
    }).then((how) => {
      socket.on('error', () => undefined);
      socket.terminate();
      return String(how);
    });
  };
  const ticket = await issue();
  expect(await open(ticket, {})).toBe('refused');
  const second = await issue();
  expect(await open(second, { cookie: login.cookie })).toBe('open');
  expect(await open(second, { cookie: login.cookie })).toBe('refused');
  await world.ask('/v1/sandboxes/socket', { method: 'DELETE' });
});

it('a page of another origin cannot log in, and the page is not there where the configuration says so', async () => {
  const headers = { origin: 'https://evil.example' };
  expect((await world.ask('/login', { method: 'POST', headers })).status).toBe(403);
  await using plain = await openWorld({ settings: { dashboard: false } });
  expect((await plain.ask('/', { token: null })).status).toBe(401);
  expect((await plain.ask('/login', { method: 'POST' })).status).toBe(404);
});

it('is not logged: neither the key nor the cookie', async () => {
  const login = await logIn(world);
  await world.ask('/v1/sandboxes', withBoth(login));
  await vi.waitFor(() => expect(world.logged()).toContain('/v1/sandboxes'));
  expect(world.logged()).not.toContain(login.key);
  expect(world.logged()).not.toContain(login.cookie);
});
