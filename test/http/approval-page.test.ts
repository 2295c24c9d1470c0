/** The page of a question, as a browser of a person sees it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ config: 'approvals: {remote_timeout: 20}' });
  await world.ask('/v1/sandboxes', { body: { taskId: 'page' } });
});
afterAll(async () => await world[Symbol.asyncDispose]());

/** A command that waits, its question, and its end. */
async function waiting(command: string, token = world.agent) {
  const body = { command: ['sh', '-c', command], execId: `exec_${crypto.randomUUID()}`, waitForApproval: false };
  const run = async () =>
    await world.ask('/v1/sandboxes/page/execs', { body, token, headers: { accept: 'application/json' } });
  const { details } = Object(await (await run()).json());
  return { id: String(details.approvalId), run };
}

interface How {
  readonly form?: Readonly<Record<string, string>>;
  readonly cookie?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends what a browser sends, and follows nothing. */
async function visit(id: string, { form, cookie, headers = {} }: How = {}) {
  const response = await fetch(`${world.url}/approvals/${id}`, {
    method: form === undefined ? 'GET' : 'POST',
    redirect: 'manual',
    headers: { ...headers, ...(cookie === undefined ? {} : { cookie }) },
    ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function logIn(id: string, token = world.person): Promise<string> {
  const { status, headers } = await visit(id, { form: { token } });
  expect([status, headers.get('location')]).toEqual([303, `/approvals/${id}`]);
  const cookie = headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/; Path=\/approvals\/; HttpOnly; SameSite=Strict$/);
  return cookie.split(';')[0] ?? '';
}

it('shows nothing of a question without a token, and the question with one, without any script', async () => {
  const hostile = `rm -rf ./x; : '<script>alert(1)</script>"><img src=x onerror=alert(1)>\u202e'`;
  const { id } = await waiting(hostile);
  const before = await visit(id);
  expect(before.status).toBe(200);
  expect(before.text).toContain('<input id="token" name="token" type="password"');
  expect(before.text).not.toContain('rm -rf');
  const cookie = await logIn(id);
  const { text, headers } = await visit(id, { cookie });
  expect(text).toContain('rm -rf ./x; : &#39;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&gt;&lt;img src=x');
  expect(text).toContain('\\u{202e}');
  expect(text).not.toMatch(/<script|<img|\u202e/);
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']{44}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  );
  expect([headers.get('x-frame-options'), headers.get('cache-control'), headers.get('referrer-policy')]).toEqual([
    ...['DENY', 'no-store', 'same-origin'],
  ]);
});

it('an answer lets the command run once, and ends the login', async () => {
  const file = join(world.root, 'ran');
  const { id, run } = await waiting(`rm -rf ./x; echo ran > ${file}`);
  const cookie = await logIn(id);
  const answered = await visit(id, { cookie, form: { choice: 'once' } });
  expect([answered.status, answered.text]).toEqual([200, expect.stringContaining('The command may run.')]);
  expect(answered.headers.get('set-cookie')).toContain('Max-Age=0');
  expect((await visit(id, { cookie })).text).toContain('name="token"');
  expect((await visit(id, { cookie, form: { choice: 'deny' } })).status).toBe(401);
  expect(Object(await (await run()).json())).toMatchObject({ exit: { exitCode: 0 } });
  expect(existsSync(file)).toBe(true);
});

it('a refusal is one, and a question that is not open any more says so', async () => {
  const { id, run } = await waiting('rm -rf ./refused');
  const [first, second] = [await logIn(id), await logIn(id)];
  expect((await visit(id, { cookie: first, form: { choice: 'deny' } })).text).toContain('The command is refused.');
  const late = await visit(id, { cookie: second, form: { choice: 'once' } });
  expect([late.status, late.text]).toEqual([403, expect.stringContaining('is not open any more')]);
  expect((await run()).status).toBe(403);
});

it('the token that asked may not answer, and one of another owner sees nothing', async () => {
  const both = await world.token('run', 'approve');
  const { id } = await waiting('rm -rf ./own', both);
  const own = await visit(id, { cookie: await logIn(id, both), form: { choice: 'once' } });
  expect([own.status, own.text]).toEqual([403, expect.stringContaining('may not answer it')]);
  const made = await world.api.tokens.create({ name: 'alice', owner: 'alice', scopes: ['approve'] }, 'test');
  const other = await visit(id, { cookie: await logIn(id, made.token) });
  expect([other.status, other.text]).toEqual([404, expect.not.stringContaining('rm -rf')]);
});

it('refuses tokens that do not hold, have another scope, or were removed meanwhile', async () => {
  const { id } = await waiting('rm -rf ./tokens');
  const wrong = await visit(id, { form: { token: '<b>wrong</b>' } });
  expect([wrong.status, wrong.text]).toEqual([401, expect.not.stringContaining('<b>')]);
  expect((await visit(id, { form: { token: await world.token('run') } })).status).toBe(403);
  const made = await world.api.tokens.create({ name: 'gone', scopes: ['approve'] }, 'test');
  const cookie = await logIn(id, made.token);
  await world.api.tokens.remove(made.id, 'test');
  expect((await visit(id, { cookie })).text).not.toContain('rm -rf');
  expect((await visit(id, { cookie, form: { choice: 'once' } })).status).toBe(401);
});

it('a page of another site, a made-up cookie and two cookies answer nothing', async () => {
  const { id } = await waiting('rm -rf ./sites');
  const cookie = await logIn(id);
  for (const origin of ['https://evil.example', 'null'])
    expect((await visit(id, { cookie, form: { choice: 'once' }, headers: { origin } })).status).toBe(403);
  const invented = `caisson_approval=${'A'.repeat(43)}`;
  for (const each of [invented, `${cookie}; ${invented}`])
    expect((await visit(id, { cookie: each, form: { choice: 'once' } })).status).toBe(401);
  expect((await visit('apr_x', { cookie })).status).toBe(404);
  expect((await visit(id, { cookie, form: { choice: 'maybe' } })).status).toBe(422);
  // Forms are for this page only.
  const elsewhere = { method: 'POST', body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  expect((await world.ask('/v1/approvals', { ...elsewhere, token: world.person })).status).toBe(415);
  expect(Object(await (await world.ask(`/v1/approvals/${id}`, { token: world.person })).json()).state).toBe('pending');
});

it('an address that shows wrong tokens is sent away', async () => {
  await using other = await openWorld();
  const statuses = new Set<number>();
  for (let count = 0; count < 25; count++) {
    const body = new URLSearchParams({ token: `wrong${count}` });
    statuses.add((await fetch(`${other.url}/approvals/apr_${'0'.repeat(24)}`, { method: 'POST', body })).status);
  }
  expect([...statuses]).toEqual([401, 429]);
});
