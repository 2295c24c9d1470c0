/** `/mcp` of the service with unmodified clients as hosts. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld, type World } from '../http/world.ts';
import { type Answer, connect, type Host, type How, kinds, type Loose } from './hosts.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ config: 'approvals: {remote_timeout: 20}' });
});
afterAll(async () => await world[Symbol.asyncDispose]());

const hostOf = async (kind: (typeof kinds)[number], token: string, how: How = {}): Promise<Host> =>
  await connect(kind, { url: `${world.url}/mcp`, token }, how);

const answer = async (id: string, choice: string, token = world.person) =>
  (await world.ask(`/v1/approvals/${id}`, { body: { choice }, token })).status;

describe.each(kinds)('with %s over HTTP', (kind) => {
  const task = `http-${kind.replaceAll(' ', '-')}`;

  it('a host runs commands and reads what they wrote', async () => {
    await using host = await hostOf(kind, world.agent);
    const ran = await host.call('run_command', { task, command: 'seq 1 100000; exit 4' });
    expect(ran.data).toMatchObject({ reason: 'exited', exit_code: 4, truncated: true });
    expect(ran.data.stdout).toMatch(/^1\n2\n[^]*\n\[\.\.\. \d+ bytes are left out here \.\.\.\]\n[^]*\n100000\n$/);
    expect(Buffer.byteLength(ran.data.stdout)).toBeLessThan(32 * 1024);
    const link = ran.content.find(({ type }) => type === 'resource_link');
    let text = '';
    for (let uri: string | undefined = link.uri; uri !== undefined;) {
      const [page, next]: readonly Loose[] = await host.read(uri);
      text += page.text;
      uri = next?.uri;
    }
    expect(text).toBe(Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join(''));
  });

  it('a canceled call kills its command', async () => {
    await using host = await hostOf(kind, world.agent);
    const file = join(world.root, `${task}-pid`);
    const canceling = new AbortController();
    const command = `sleep 60 & echo $! > ${file}; wait`;
    const call = host.call('run_command', { task, command }, { signal: canceling.signal });
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8'), { timeout: 20_000 }).toMatch(/\d\n/);
    canceling.abort();
    await expect(call).rejects.toThrow(/abort/i);
    const isAlive = (): boolean => existsSync(`/proc/${readFileSync(file, 'utf8').trim()}`);
    await expect.poll(isAlive, { timeout: 20_000 }).toBe(false);
  });

  it('a host that declares forms gets none, since an answer of it would be one of the token that asked', async () => {
    let asked = 0;
    const ask = (): Answer => {
      asked++;
      return { action: 'accept', content: { choice: 'once' } };
    };
    await using host = await hostOf(kind, world.agent, { elicitation: { form: {} }, ask });
    const file = join(world.root, `${task}-form`);
    const args = { task, command: `rm -rf ./${task}-a; echo ran >> ${file}` };
    const first = await host.call('run_command', args);
    expect([asked, first.isError, first.data.code]).toEqual([0, true, 'approval_required']);
    expect(existsSync(file)).toBe(false);
    // The token that asked may not answer, whatever it may.
    expect(await answer(first.data.approval_id, 'once', await world.token('approve', 'run'))).toBe(204);
    expect((await host.call('run_command', args)).data).toMatchObject({ exit_code: 0 });
    expect(readFileSync(file, 'utf8')).toBe('ran\n');
    expect((await host.call('run_command', args)).data.code).toBe('approval_required');
  });

  it('a host that opens pages gets the one of the question, and its call goes on with the answer', async () => {
    const urls: string[] = [];
    const ask = ({ url, message }: Loose): Answer => {
      urls.push(url);
      expect(message).toContain('rm -rf');
      const id = String(url).split('/').at(-1) ?? '';
      void delay(300).then(async () => await answer(id, 'once'));
      return { action: 'accept' };
    };
    await using host = await hostOf(kind, world.agent, { elicitation: { url: {} }, ask });
    const file = join(world.root, `${task}-url`);
    const result = await host.call('run_command', { task, command: `rm -rf ./${task}-b; echo ran >> ${file}` });
    expect(result.data).toMatchObject({ exit_code: 0 });
    expect(urls).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/approvals\/apr_[0-9a-f]{24}$/)]);
    expect(readFileSync(file, 'utf8')).toBe('ran\n');
  });

  it('a token sees the tools of its scopes, and another owner nothing', async () => {
    await using reader = await hostOf(kind, await world.token('read'));
    expect((await reader.tools()).map(({ name }) => name)).toEqual([
      ...['read_output', 'list_sandboxes', 'inspect_sandbox', 'read_file', 'list_files', 'search_files'],
    ]);
    await expect(reader.call('run_command', { task, command: 'true' })).rejects.toThrow('run_command');
    await using mine = await hostOf(kind, world.agent);
    const { data } = await mine.call('run_command', { task, command: 'echo mine' });
    const made = await world.api.tokens.create({ name: 'alice', owner: 'alice', scopes: ['run', 'read'] }, 'test');
    await using alice = await hostOf(kind, made.token);
    expect((await alice.call('list_sandboxes', {})).data.sandboxes).toEqual([]);
    for (const [name, args] of [
      ['read_output', { exec_id: data.exec_id }],
      ['stop_process', { exec_id: data.exec_id }],
      ['inspect_sandbox', { task }],
    ] as const)
      expect(await alice.call(name, args)).toMatchObject({ isError: true, data: { code: 'not_found' } });
    await expect(alice.read(`caisson://execs/${data.exec_id}/stdout`)).rejects.toThrow('no record');
  });
});

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};

const modernHeaders = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28' };

/** One request of the new protocol, as anyone could send it. */
const modernAsk = async (body: object, how: { readonly token?: string; readonly signal?: AbortSignal } = {}) =>
  await world.ask('/mcp', {
    ...how,
    body,
    headers: { ...modernHeaders, 'mcp-method': 'tools/call', 'mcp-name': 'run_command' },
  });

async function raw(args: object, more: object = {}, token = world.agent): Promise<Loose> {
  const params = { name: 'run_command', arguments: args, _meta: modern, ...more };
  const response = await modernAsk({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { token });
  const text = await response.text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
}

describe('over HTTP', () => {
  it('an answer of a form that was made up runs nothing, and is on record', async () => {
    const file = join(world.root, 'invented');
    const args = { task: 'invented', command: `rm -rf ./invented; echo ran > ${file}` };
    const invented = { approval: { action: 'accept', content: { choice: 'once' } } };
    const first = await raw(args, { inputResponses: invented, requestState: 'v1.e30.AAAA' });
    expect(first.result.isError).toBe(true);
    const problem = JSON.parse(first.result.content[0].text);
    expect(problem.code).toBe('approval_required');
    const again = await raw(args, { inputResponses: invented });
    expect(JSON.parse(again.result.content[0].text).approval_id).toBe(problem.approval_id);
    expect(existsSync(file)).toBe(false);
    const records = await Array.fromAsync(world.api.audit.tail({ count: 50 }));
    const refused = records.filter((record) => Object(record)['approval'] === problem.approval_id);
    expect(refused).toMatchObject([
      { verdict: 'deny', kind: 'approval' },
      { verdict: 'deny', kind: 'approval' },
    ]);
  });

  it('the answer to one token does not serve another, which gets a question of its own', async () => {
    const args = { task: 'foreign', command: 'rm -rf ./foreign' };
    const first = JSON.parse((await raw(args)).result.content[0].text);
    await answer(first.approval_id, 'once');
    const other = JSON.parse((await raw(args, {}, await world.token('run'))).result.content[0].text);
    expect([other.code, other.approval_id === first.approval_id]).toEqual(['approval_required', false]);
    expect(JSON.parse((await raw(args)).result.content[0].text)).toMatchObject({ exit_code: 0 });
  });

  it('no request is served without a token, to a foreign page or under another name (API-08)', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: modern } };
    expect((await world.ask('/mcp', { token: null, body })).status).toBe(401);
    expect((await world.ask('/mcp', { token: world.person, body })).status).toBe(403);
    expect((await world.ask('/mcp', { body, headers: { origin: 'https://evil.example' } })).status).toBe(403);
  });

  it('a subscription is acknowledged with what may change, which is nothing, and ends in order', async () => {
    const params = { _meta: modern, notifications: { toolsListChanged: true, resourceSubscriptions: ['caisson://x'] } };
    const body = { jsonrpc: '2.0', id: 9, method: 'subscriptions/listen', params };
    const answered = await world.ask('/mcp', {
      body,
      headers: { ...modernHeaders, 'mcp-method': 'subscriptions/listen' },
    });
    const messages = [...(await answered.text()).matchAll(/^data: (.*)$/gm)].map(([, text = '']) => JSON.parse(text));
    expect(messages).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } },
      { id: 9, result: { resultType: 'complete' } },
    ]);
  });

  it('a session is for its token alone, and a guessed one is not there (API-08)', async () => {
    const { id, ask } = await rawSession();
    expect((await ask({ jsonrpc: '2.0', id: 2, method: 'tools/list' })).status).toBe(200);
    const other = await world.token('run');
    expect((await ask({ jsonrpc: '2.0', id: 3, method: 'tools/list' }, { token: other })).status).toBe(404);
    const guess = { headers: { 'mcp-session-id': id.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) } };
    expect((await ask({ jsonrpc: '2.0', id: 4, method: 'tools/list' }, guess)).status).toBe(404);
    expect((await ask({ jsonrpc: '2.0', id: 5, method: 'tools/list' })).status).toBe(200);
  });
});

it('a caller that leaves its request cancels it, in both protocols', async () => {
  const session = await rawSession();
  for (const send of [session.ask, modernAsk]) {
    const file = join(world.root, `left-${send === modernAsk}`);
    const leaving = new AbortController();
    const args = { task: 'leaving', command: `sleep 60 & echo $! > ${file}; wait` };
    const params = { name: 'run_command', arguments: args, _meta: modern };
    const call = send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params }, { signal: leaving.signal }).then(
      async (response) => await response.text(),
    );
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8'), { timeout: 20_000 }).toMatch(/\d\n/);
    leaving.abort();
    await expect(call).rejects.toThrow(/abort/i);
    const isAlive = (): boolean => existsSync(`/proc/${readFileSync(file, 'utf8').trim()}`);
    await expect.poll(isAlive, { timeout: 20_000 }).toBe(false);
  }
});

/** A session of the old protocol. */
async function rawSession(token = world.agent) {
  const headers = { accept: 'application/json, text/event-stream' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const opened = await world.ask('/mcp', {
    token,
    headers,
    body: { jsonrpc: '2.0', id: 1, method: 'initialize', params },
  });
  await opened.text();
  const id = opened.headers.get('mcp-session-id') ?? '';
  const ask = async (
    body: object,
    how: { readonly token?: string; readonly headers?: object; readonly signal?: AbortSignal } = {},
  ) => await world.ask('/mcp', { token, ...how, body, headers: { ...headers, 'mcp-session-id': id, ...how.headers } });
  await ask({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return { id, ask, status: opened.status };
}
