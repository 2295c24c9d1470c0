/** What strangers, web pages and hostile clients get. One service for all; the numbers are those of the list of checks. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { placeOf } from '../../src/http/listen.ts';
import { Strangers } from '../../src/http/hooks/strangers.ts';
import { openSocket, send, upgrade } from './raw.ts';
import { openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
  await world.ask('/v1/sandboxes', { body: { taskId: 'build' } });
});
afterAll(async () => await world[Symbol.asyncDispose]());

const get = (...more: readonly string[]): readonly string[] => ['GET /v1/sandboxes HTTP/1.1', ...more];
const host = (): string => `Host: 127.0.0.1:${world.port}`;
const bearer = (): string => `Authorization: Bearer ${world.agent}`;

describe('API-01 the address', () => {
  const settings = (): Parameters<typeof placeOf>[0] => world.api.config.server;
  it('is 127.0.0.1 by default', () => {
    expect(placeOf(settings(), { isPublic: false })).toMatchObject({ host: '127.0.0.1', notices: [] });
  });
  it.each(['0.0.0.0', '::', '192.0.2.1'])(
    '%s needs a flag, and then TLS or a proxy, and says what it means',
    (address) => {
      const open = { ...settings(), host: address };
      expect(() => placeOf(open, { isPublic: false })).toThrow(/other hosts/);
      expect(() => placeOf(open, { isPublic: true })).toThrow(/clear text/);
      expect(() => placeOf({ ...open, tls_cert: '/c' }, { isPublic: true })).toThrow(/needs its key/);
      const behind = placeOf({ ...open, proxies: ['10.0.0.1'] }, { isPublic: true });
      expect(behind.notices.join()).toContain('a token is all that they need');
      expect(placeOf({ ...open, tls_cert: '/c', tls_key: '/k' }, { isPublic: true })).toMatchObject({ secure: true });
    },
  );
});

describe('API-02 a token', () => {
  it.each([
    ['none', () => []],
    ['one that is wrong', () => [`Authorization: Bearer caisson_${'a'.repeat(43)}`]],
    ['one that was cut', () => [bearer().slice(0, -1)]],
    ['two blanks', () => [bearer().replace('Bearer ', 'Bearer  ')]],
    ['a scheme in lower case', () => [bearer().replace('Bearer', 'bearer')]],
    ['another scheme', () => [bearer().replace('Bearer', 'Basic')]],
    ['two of them', () => [bearer(), bearer()]],
    ['a cookie', () => [`Cookie: token=${world.agent}`]],
  ])('%s: 401, with the same answer', async (_what, headers) => {
    const { status, head, body } = await send(world.port, get(host(), ...headers()));
    expect(status).toBe(401);
    expect(head.toLowerCase()).toContain('www-authenticate: bearer');
    expect({ ...JSON.parse(body.replace(/^[^{]*/, '').replace(/[^}]*$/, '')), requestId: '' }).toMatchObject({
      code: 'unauthenticated',
      detail: 'no valid token',
    });
  });
  it('in the query: 401', async () => {
    expect((await world.ask(`/v1/sandboxes?token=${world.agent}`, { token: null })).status).toBe(401);
  });
  it('is needed for routes that there are not, and for the document', async () => {
    expect((await world.ask('/v1/none', { token: null })).status).toBe(401);
    expect((await world.ask('/v1/none')).status).toBe(404);
    expect((await world.ask('/openapi.json', { token: null })).status).toBe(401);
  });
});

describe('API-04 the name', () => {
  it.each([
    ['another', ['Host: evil.com']],
    ['one that begins like ours', ['Host: localhost.evil.com']],
    ['the address of all', ['Host: 0.0.0.0']],
    ['one that ends in a dot', ['Host: localhost.']],
    ['one with an account', ['Host: localhost@evil.com']],
    ['none that can be read', ['Host: [::1']],
  ])('%s: 421, before the token is looked at', async (_what, headers) => {
    expect((await send(world.port, get(...headers))).status).toBe(421);
    expect((await send(world.port, get(...headers, bearer()))).status).toBe(421);
    const socket = await send(world.port, upgrade('/v1/sandboxes/build/pty', ...headers, bearer()));
    expect(socket.status).toBe(421);
  });
  it('two of them, or none, is refused', async () => {
    expect((await send(world.port, get(host(), 'Host: evil.com', bearer()))).status).toBe(421);
    expect((await send(world.port, get(bearer()))).status).toBe(400);
  });
  it('in the request line is refused', async () => {
    const line = `GET http://127.0.0.1:${world.port}/v1/sandboxes HTTP/1.1`;
    expect((await send(world.port, [line, host(), bearer()])).status).toBe(421);
  });
  it.each(['localhost', '[::1]:7480', '127.0.0.1'])('%s is one of the service', async (name) => {
    expect((await send(world.port, get(`Host: ${name}`, bearer()))).status).toBe(200);
  });
});

describe('API-05 the page', () => {
  it.each(['https://evil.com', 'null', 'chrome-extension://abc', 'http://127.0.0.1:1'])('%s: 403', async (origin) => {
    const answer = await send(world.port, get(host(), bearer(), `Origin: ${origin}`));
    expect(answer.status).toBe(403);
    expect(answer.head.toLowerCase()).not.toContain('access-control');
    const socket = await send(world.port, upgrade('/v1/sandboxes/build/pty', host(), bearer(), `Origin: ${origin}`));
    expect(socket.status).toBe(403);
  });
  it('its own page may call it', async () => {
    const own = `Origin: http://127.0.0.1:${world.port}`;
    expect((await send(world.port, get(host(), bearer(), own))).status).toBe(200);
  });
  it('a preflight is refused', async () => {
    const asked = ['Origin: https://evil.com', 'Access-Control-Request-Method: POST'];
    const answer = await send(world.port, ['OPTIONS /v1/sandboxes HTTP/1.1', host(), ...asked]);
    expect([answer.status, answer.head.toLowerCase().includes('access-control')]).toEqual([403, false]);
  });
});

describe('API-06 a form', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
  ])('of type %s: 415', async (type) => {
    const response = await world.ask('/v1/sandboxes', { body: '{"taskId":"x"}', headers: { 'content-type': type } });
    expect(response.status).toBe(415);
  });
});

describe('API-07 an upgrade', () => {
  const path = '/v1/sandboxes/build/pty';
  it('without a token is refused before the 101', async () => {
    expect((await send(world.port, upgrade(path, host()))).status).toBe(401);
  });
  it('with a token of another scope is refused', async () => {
    await expect(openSocket(world.url + path, { token: world.person })).rejects.toThrow('403');
  });
  it.each(['/v1/sandboxes', '/openapi.json', '/metrics', '/mcp', '/v1/none'])('of %s is refused', async (other) => {
    expect((await send(world.port, upgrade(other, host(), bearer()))).status).toBe(404);
  });
  it.each(['/healthz', '/readyz', `/approvals/apr_${'0'.repeat(24)}`])('of %s is refused', async (other) => {
    expect((await send(world.port, upgrade(other, host()))).status).toBe(404);
  });
});

describe('API-09 wrong tokens', () => {
  it('are sent away after twenty, and a token that holds is served from the same address', async () => {
    const own = await openWorld();
    try {
      const wrong = `caisson_${'x'.repeat(43)}`;
      const codes = new Map<number, number>();
      for (let count = 0; count < 40; count++) {
        const { status, headers } = await own.ask('/v1/sandboxes', { token: wrong });
        codes.set(status, (codes.get(status) ?? 0) + 1);
        if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect([...codes]).toEqual([
        [401, 20],
        [429, 20],
      ]);
      expect((await own.ask('/v1/sandboxes')).status).toBe(200);
    } finally {
      await own[Symbol.asyncDispose]();
    }
  });
  it('of a million addresses take bounded memory, and a network of IPv6 counts as one', () => {
    const strangers = new Strangers(() => 0);
    for (let address = 0; address < 50_000; address++)
      strangers.count(`10.${address >> 16}.${(address >> 8) & 255}.${address & 255}`);
    expect(strangers.size).toBe(10_000);
    for (let count = 0; count < 20; count++) strangers.count(`2001:db8:1:2::${count}`);
    expect(strangers.count('2001:db8:1:2:ffff::1')).toBeGreaterThan(0);
    expect(strangers.count('2001:db8:1:3::1')).toBeNull();
  });
});

describe('API-10 files', () => {
  it('of the service are for this user alone', () => {
    expect(statSync(join(world.api.config.home, 'caisson.db')).mode & 0o077).toBe(0);
    expect(statSync(world.api.config.home).mode & 0o077).toBe(0);
  });
});

describe('API-11 a body', () => {
  it.each([
    ['nested 10,000 levels deep', `{"taskId":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['with a key twice', '{"taskId":"a","taskId":"b"}'],
    ['with the same key written otherwise', '{"taskId":"a","task\\u0049d":"b"}'],
    ['with __proto__', '{"taskId":"a","__proto__":{"allowDegraded":true}}'],
    ['with __proto__ in escapes', '{"taskId":"a","\\u005f_proto__":{}}'],
    ['with constructor', '{"taskId":"a","constructor":{}}'],
    ['with NaN', '{"taskId":NaN}'],
    ['that is an array', '[]'],
    ['that is cut', '{"taskId":"a"'],
    ['with 100,000 keys', `{${Array.from({ length: 100_000 }, (_, n) => `"k${n}":0`).join(',')}}`],
  ])('%s: 422, and nothing is made', async (_what, body) => {
    const response = await world.ask('/v1/sandboxes', { body, headers: { 'content-type': 'application/json' } });
    expect([response.status, (await response.text()).length < 4000]).toEqual([422, true]);
    expect(Reflect.get({}, 'allowDegraded')).toBeUndefined();
  });
  it('with a number past 2^53: 422', async () => {
    const body = '{"command":["true"],"timeoutMs":9007199254740993}';
    const type = { 'content-type': 'application/json' };
    expect((await world.ask('/v1/sandboxes/build/execs', { body, headers: type })).status).toBe(422);
  });
  it('in chunks without an end is cut off at the limit', async () => {
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const head = [
      'POST /v1/sandboxes HTTP/1.1',
      host(),
      bearer(),
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ];
    expect((await send(world.port, head, chunk.repeat(40))).status).toBe(413);
  });
});

describe('API-13 ids', () => {
  it.each([
    '%2e%2e%2f',
    '..%2Fa',
    'a%2Fb',
    'A',
    'Build',
    '-rf',
    '%00',
    'x'.repeat(64),
    'x'.repeat(300),
    '%C3%A4',
    '%F0%9F%98%80',
  ])('%s: 422 as a task', async (id) => {
    expect((await world.ask(`/v1/sandboxes/${id}`)).status).toBe(422);
    const body = { taskId: decodeURIComponent(id) };
    expect((await world.ask('/v1/sandboxes', { body })).status).toBe(422);
  });
});

it('API-13 the parent directory as a task: 422', async () => {
  const answer = await send(world.port, ['GET /v1/sandboxes/%2e%2e HTTP/1.1', host(), bearer()]);
  expect(answer.status).toBe(422);
});

describe('API-14 options', () => {
  it.each([
    ['an image', { image: '--privileged' }],
    ['a backend', { backend: '-x' }],
    ['a host path', { cwd: 'a\0b' }],
    ['a limit', { limits: { cpuCores: -1 } }],
    ['mounts', { mounts: [{ source: '/', target: '/host' }] }],
    ['an unknown network', { network: 'host' }],
  ])('%s that would be something else: 422', async (_what, more) => {
    expect((await world.ask('/v1/sandboxes', { body: { taskId: 'other', ...more } })).status).toBe(422);
  });
  it('skills, and raw output or degradation without admin, are refused', async () => {
    const token = await world.token('run');
    const run = (body: object) =>
      world.ask('/v1/sandboxes/build/execs', { token, body: { command: ['true'], ...body } });
    expect((await run({ skills: ['/etc'] })).status).toBe(422);
    expect((await run({ rawOutput: true })).status).toBe(403);
    const degraded = { taskId: 'other', allowDegraded: true };
    expect((await world.ask('/v1/sandboxes', { token, body: degraded })).status).toBe(403);
  });
});

describe('API-15 errors', () => {
  it('have a code, what to do, and the id of the request, and no words of a defect', async () => {
    const { problemOf } = await import('../../src/http/problems.ts');
    const failure = problemOf(new TypeError('/root/.ssh/id_ed25519 SECRET=1'), 'req');
    expect(failure).toMatchObject({ status: 500, code: 'internal', requestId: 'req', details: {} });
    expect(JSON.stringify(failure)).not.toMatch(/ssh|SECRET|TypeError|at /);
  });
  it('what is no HTTP gets a problem, and the connection is closed', async () => {
    const { status, body } = await send(world.port, ['GARBAGE']);
    expect([status, JSON.parse(body).code]).toEqual([400, 'invalid_argument']);
  });
  it('X-Request-Id is taken where it is short and plain, and else made', async () => {
    const own = await world.ask('/v1/sandboxes', { headers: { 'x-request-id': 'mine-1' } });
    expect(own.headers.get('x-request-id')).toBe('mine-1');
    const odd = await world.ask('/v1/sandboxes', { headers: { 'x-request-id': 'a b{}' } });
    expect(odd.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9_-]{16}$/);
  });
});

describe('API-20 health', () => {
  it('needs no token and says no more than that', async () => {
    const [health, ready] = await Promise.all(['/healthz', '/readyz'].map((path) => world.ask(path, { token: null })));
    expect([await health?.json(), await ready?.json()]).toEqual([{ status: 'ok' }, { status: 'ready' }]);
  });
});

describe('the log', () => {
  it('has a line a request with its id, and no token, query or path that a client wrote', async () => {
    await world.ask('/v1/sandboxes/canary-task?x=canary-query', { headers: { 'x-request-id': 'logged-1' } });
    await expect.poll(() => world.logged()).toContain('logged-1');
    expect(world.logged()).not.toMatch(/canary|caisson_[A-Za-z0-9_-]{20}/);
  });
});
