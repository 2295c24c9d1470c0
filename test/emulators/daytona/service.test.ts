import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { startDaytona } from '../../../emulators/daytona/emulator.ts';
import { startDaytonaHere, whyNoDaytona } from '../../engines/daytona.ts';

const why = whyNoDaytona();
const emulator = why === null ? await startDaytonaHere() : null;
afterAll(() => emulator?.close());

const { DAYTONA_API_URL: api = 'http://127.0.0.1:1/api', DAYTONA_API_KEY: key = '' } = emulator?.environment ?? {};

/** Sends a request by `node:http`, which takes headers that fetch would not let through. */
async function ask(
  line: string,
  headers: Readonly<Record<string, string>> = {},
  body?: unknown,
): Promise<{
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly retryAfter: string | undefined;
}> {
  const [method, path = ''] = line.split(' ');
  const sent = request(`${api}${path}`, { method, headers: { authorization: `Bearer ${key}`, ...headers } });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, body: JSON.parse(text || '{}'), retryAfter: response.headers['retry-after'] };
}

/** One line on the socket of faults. */
async function fault(line: string): Promise<unknown> {
  const socket = connect(emulator?.faults ?? '');
  socket.write(`${line}\n`);
  const [answer] = await once(socket, 'data');
  socket.destroy();
  return JSON.parse(String(answer));
}

describe.skipIf(why !== null)('the emulator of Daytona', { timeout: 60_000 }, () => {
  it('serves its own key, under its own name, and no web page', async () => {
    expect((await ask('GET /sandbox')).status).toBe(200);
    expect((await ask('GET /sandbox', { authorization: 'Bearer dtn_other' })).status).toBe(401);
    expect((await ask('GET /sandbox', { authorization: '' })).status).toBe(401);
    expect((await ask('GET /sandbox', { host: 'rebound.example:80' })).status).toBe(403);
    expect((await ask('GET /sandbox', { origin: 'http://127.0.0.1' })).status).toBe(403);
    const other = await startDaytona({ unsafe: false });
    expect(other.environment['DAYTONA_API_KEY']).not.toBe(key);
    await other.close();
  });

  it('refuses a path that is no URL, with and without its key, and lives on', async () => {
    const raw = async (...headers: readonly string[]): Promise<string> => {
      const { hostname, port, host } = new URL(api);
      const socket = connect(Number(port), hostname);
      socket.write(['GET // HTTP/1.1', `Host: ${host}`, ...headers, '', ''].join('\r\n'));
      const [answer] = await once(socket, 'data');
      socket.destroy();
      return String(answer);
    };
    expect(await raw()).toContain('HTTP/1.1 401 ');
    expect(await raw(`Authorization: Bearer ${key}`)).toContain('HTTP/1.1 400 ');
    expect((await ask('GET /sandbox/%zz')).status).toBe(400);
    expect((await ask('GET /sandbox')).status).toBe(200);
  });

  it('checks the key on sockets too', async () => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    };
    const path = `${new URL(api).origin}/toolbox/x/process/pty/create-connect?id=a`;
    const sent = request(path, { headers: { ...headers, authorization: 'Bearer dtn_other' } });
    sent.end();
    const [response] = await once(sent, 'response');
    expect(response.statusCode).toBe(401);
  });

  it('refuses fields that it does not know and values that the service does not take, and names them', async () => {
    const unknown = await ask('POST /sandbox', {}, { name: 'x', colour: 'red' });
    expect({ status: unknown.status, message: unknown.body['message'] }).toEqual({
      status: 400,
      message: expect.stringContaining('colour'),
    });
    const large = await ask('POST /sandbox', {}, { disk: 20 });
    expect(large.body['message']).toContain('exceeds maximum allowed per sandbox (10GB)');
    expect((await ask('POST /sandbox', {}, { snapshot: 'a', cpu: 1 })).status).toBe(400);
    expect(emulator?.count()).toBe(0);
  });

  it('takes time for each change, refuses others meanwhile, keeps names apart, and lists by pages', async () => {
    await fault('{"fault":"transitions","ms":400}');
    const ids: unknown[] = [];
    for (const name of ['one', 'two', 'three'])
      ids.push((await ask('POST /sandbox', {}, { name, labels: { set: 'pages' } })).body['id']);
    expect((await ask('POST /sandbox', {}, { name: 'one' })).status).toBe(409);
    expect((await ask('POST /sandbox/one/stop')).status).toBe(409);
    const labels = encodeURIComponent(JSON.stringify({ set: 'pages' }));
    const first = await ask(`GET /sandbox?limit=2&labels=${labels}`);
    const second = await ask(`GET /sandbox?limit=2&labels=${labels}&cursor=${String(first.body['nextCursor'])}`);
    const all = [first, second].flatMap(({ body }) => body['items']).map((item) => Reflect.get(Object(item), 'id'));
    expect(new Set(all)).toEqual(new Set(ids));
    expect(all).toHaveLength(3);
    expect(second.body['nextCursor']).toBeNull();
    await fault('{"fault":"none"}');
    for (const name of ['one', 'two', 'three']) {
      await expect
        .poll(async () => (await ask(`GET /sandbox/${name}`)).body['state'], { timeout: 20_000 })
        .toBe('started');
      expect((await ask(`DELETE /sandbox/${name}`)).status).toBe(200);
    }
    await expect.poll(() => emulator?.count(), { timeout: 20_000 }).toBe(0);
  });

  it('stops what is idle, archives what is stopped and deletes what is old, by a clock that can be moved', async () => {
    const state = async (): Promise<unknown> => (await ask('GET /sandbox/old')).body['state'];
    const minutes = (count: number): Promise<unknown> =>
      fault(JSON.stringify({ fault: 'advance-clock', ms: count * 60_000 }));
    await ask('POST /sandbox', {}, { name: 'old', autoStopInterval: 5, autoArchiveInterval: 10, ttlMinutes: 60 });
    await expect.poll(state, { timeout: 20_000 }).toBe('started');
    await minutes(6);
    await expect.poll(state, { timeout: 20_000 }).toBe('stopped');
    await minutes(11);
    await expect.poll(state, { timeout: 20_000 }).toBe('archived');
    await minutes(60);
    await expect.poll(async () => (await ask('GET /sandbox/old')).status, { timeout: 20_000 }).toBe(404);
  });

  it('takes faults from its owner alone, and does what they say', async () => {
    expect(statSync(emulator?.faults ?? '').mode & 0o777).toBe(0o600);
    expect(await fault('{"fault":"nonsense"}')).toMatchObject({ ok: false });
    expect(await fault('{"fault":"throttle","retryAfterSeconds":7}')).toEqual({ ok: true });
    expect(await ask('GET /sandbox')).toMatchObject({ status: 429, retryAfter: '7' });
    expect((await ask('GET /sandbox')).status).toBe(200);
    await fault('{"fault":"expire-token"}');
    expect((await ask('GET /sandbox')).status).toBe(401);
    await fault('{"fault":"renew-token"}');
    await fault('{"fault":"drop-after"}');
    await expect(ask('GET /sandbox')).rejects.toThrow('socket hang up');
    await fault('{"fault":"restart"}');
    expect((await ask('GET /sandbox')).status).toBe(200);
  });
});
