/** Four owners with tasks, execs and files of the same names, over HTTP: none of them sees anything of another one. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serve, type Serving } from '../../src/http/serve.ts';
import { openCaisson } from '../../src/main.ts';
import type { CaissonApi, Scope } from '../../src/service/api.ts';
import { type Home, makeHome } from './home.ts';

/** The object of an answer; an empty one for what is no JSON. */
const bodyOf = (text: string) => Object(text.startsWith('{') && !text.trim().includes('\n') ? JSON.parse(text) : {});

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly json: ReturnType<typeof bodyOf>;
}

interface OwnerRequest {
  readonly method?: string;
  readonly body?: unknown;
  readonly accept?: string;
}

interface Client {
  readonly name: string;
  /** In its files, its output and its commands. */
  readonly marker: string;
  readonly sandboxId: string;
  readonly approvalId: string;
  readonly ask: (path: string, how?: OwnerRequest) => Promise<Answer>;
  readonly person: Client['ask'];
}

let home: Home;
let api: CaissonApi;
let serving: Serving;
let clients: readonly Client[];

const askOf =
  (token: string): Client['ask'] =>
  async (path, { method, body, accept = 'application/json' } = {}) => {
    const bytes = typeof body === 'string';
    const type = bytes ? 'application/octet-stream' : 'application/json';
    const response = await fetch(serving.url + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(body === undefined ? {} : { 'content-type': type }),
        authorization: `Bearer ${token}`,
        accept,
      },
      ...(body === undefined ? {} : { body: bytes ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, json: bodyOf(text) };
  };

const waiting = { command: ['touch', 'asked'], execId: 'exec_asks', waitForApproval: false };

async function clientOf(name: string): Promise<Client> {
  const token = async (...scopes: readonly Scope[]): Promise<string> =>
    (await api.tokens.create({ name: scopes.join('-'), scopes, owner: name }, 'test')).token;
  const [ask, person] = [askOf(await token('run', 'read')), askOf(await token('approve', 'read'))];
  const marker = `canary-${name}-${randomBytes(6).toString('hex')}`;
  const made = await ask('/v1/sandboxes', { body: { taskId: 'build', backend: 'docker' } });
  expect([made.status, made.json['sandbox']?.taskId]).toEqual([200, 'build']);
  const written = await ask('/v1/sandboxes/build/files?path=/workspace/mine', { method: 'PUT', body: marker });
  expect(written.status).toBe(200);
  const ran = await ask('/v1/sandboxes/build/execs', { body: { command: ['echo', marker], execId: 'exec_same' } });
  expect(ran.json).toMatchObject({
    execId: 'exec_same',
    where: { taskId: 'build' },
    stdout: { text: `${marker}\n` },
  });
  const started = { command: ['echo', marker], execId: 'exec_process' };
  expect((await ask('/v1/sandboxes/build/processes', { body: started })).json['id']).toBe('exec_process');
  expect((await ask('/v1/sandboxes/build/sessions', { body: { name: marker } })).status).toBe(200);
  const asked = await ask('/v1/sandboxes/build/execs', { body: waiting });
  expect(asked.status).toBe(403);
  const approvalId = String(asked.json['details'].approvalId);
  return { name, marker, sandboxId: made.json['sandbox'].id, approvalId, ask, person };
}

beforeAll(async () => {
  home = await makeHome();
  const config = `approvals: {remote_timeout: 600, rules: {ask: ["terminal(touch:*)"]}}\nowners: {carol: {memory: 64, network: none}}\n`;
  await writeFile(join(home.path, 'config.yaml'), config, { mode: 0o600 });
  api = await openCaisson({ home: home.path, env: home.env, cwd: home.path, approver: 'queue' });
  const settings = { ...api.config.server, port: 0, shutdown_seconds: 0.5 };
  serving = await serve(api, { settings, isPublic: false, log: new PassThrough() });
  clients = await Promise.all(['alice', 'bob', 'carol', 'operator'].map(clientOf));
}, 120_000);

afterAll(async () => {
  await serving.stop();
  await api.close();
  await home[Symbol.asyncDispose]();
}, 60_000);

const others = ({ name }: Client): readonly Client[] => clients.filter((each) => each.name !== name);

/** `sent`: what the client itself has named, which an error may name again. */
function expectNothingOfOthers(client: Client, { text }: Answer, sent = ''): void {
  for (const { name, marker, sandboxId, approvalId } of others(client)) {
    expect(text).not.toContain(marker);
    for (const id of [sandboxId, approvalId]) if (!sent.includes(id)) expect(text).not.toContain(id);
    expect(text).not.toMatch(new RegExp(`(?:exec_|["' ])${name}\\.`));
  }
  expect(text).not.toMatch(new RegExp(`(?:exec_|["' ])${client.name}\\.`));
}

it('each reads what it wrote itself, under the names that all of them use', async () => {
  for (const client of clients) {
    const file = await client.ask('/v1/sandboxes/build/files?path=/workspace/mine');
    expect(file.text).toBe(client.marker);
    const found = await client.ask('/v1/sandboxes/build/execs/exec_same');
    expect(found.json).toMatchObject({ id: 'exec_same', command: ['echo', client.marker] });
    const ended = await client.ask('/v1/sandboxes/build/processes/exec_process/wait');
    expect(ended.json).toMatchObject({ id: 'exec_process', command: ['echo', client.marker] });
  }
});

it('lists hold what is the owner’s, and nothing else', async () => {
  for (const client of clients) {
    const sandboxes = await client.ask('/v1/sandboxes');
    expect(sandboxes.json['items'].map(({ id }: { id: string }) => id)).toEqual([client.sandboxId]);
    const execs = await client.ask('/v1/execs');
    expect(execs.json['items'].map(({ id }: { id: string }) => id)).toEqual(['exec_same']);
    const processes = await client.ask('/v1/processes');
    expect(processes.json['items'].map(({ id }: { id: string }) => id)).toEqual(['exec_process']);
    const approvals = await client.person('/v1/approvals');
    expect(approvals.json['items']).toMatchObject([{ id: client.approvalId, taskId: 'build' }]);
    for (const answer of [sandboxes, execs, processes, approvals]) expectNothingOfOthers(client, answer);
  }
});

it('a page of a list goes on where it ended', async () => {
  for (const client of clients) {
    for (const execId of ['exec_page-1', 'exec_page-2'])
      await client.ask('/v1/sandboxes/build/execs', { body: { command: ['true'], execId } });
    const first = await client.ask('/v1/execs?limit=2');
    const next = await client.ask(`/v1/execs?limit=2&cursor=${first.json['nextCursor']}`);
    const ids = [...first.json['items'], ...next.json['items']].map(({ id }) => id);
    expect(ids).toEqual(['exec_page-2', 'exec_page-1', 'exec_same']);
  }
});

it('a stream of events has the ids that the client uses, also when it is read again', async () => {
  const lines = ({ text }: Answer) => text.trim().split('\n').map(bodyOf);
  for (const client of clients) {
    const body = { command: ['echo', client.marker] };
    const now = await client.ask('/v1/sandboxes/build/execs', { body, accept: 'application/x-ndjson' });
    const [started] = lines(now);
    expect(started).toMatchObject({ type: 'started', where: { taskId: 'build', sandboxId: client.sandboxId } });
    expect(started.execId).toMatch(/^exec_[0-9a-f]{24}$/);
    const path = `/v1/sandboxes/build/execs/${started.execId}`;
    const again = await client.ask(path, { accept: 'application/x-ndjson' });
    // How the sandbox came to the client is of the start alone.
    expect(lines(again)).toEqual(lines(now).map(({ placed: _, ...event }) => event));
    for (const answer of [now, again]) expectNothingOfOthers(client, answer);
    for (const other of others(client)) expect((await other.ask(path)).status).toBe(404);
  }
});

it('events and the audit are those of the owner', async () => {
  for (const client of clients)
    for (const path of ['/v1/events?follow=false', '/v1/audit?count=10000']) {
      const answer = await client.ask(path, { accept: 'application/x-ndjson' });
      const lines = answer.text.trim().split('\n').map(bodyOf);
      expect([path, answer.status, lines.length > 3]).toEqual([path, 200, true]);
      expect(new Set(lines.map(({ owner }) => owner))).toEqual(new Set([client.name]));
      expect(answer.text).toContain('"exec_same"');
      expectNothingOfOthers(client, answer);
    }
});

it('what belongs to another owner is not found, in the words for what is not there', async () => {
  for (const client of clients)
    for (const { sandboxId, approvalId } of others(client)) {
      const nowhere = `sbx_${'0'.repeat(16)}`;
      for (const rest of [
        '',
        '/execs',
        '/processes',
        '/files?path=/workspace/mine',
        '/files/archive?path=/workspace',
        '/stats',
        '/sessions',
      ]) {
        const there = await client.ask(`/v1/sandboxes/${sandboxId}${rest}`);
        const absent = await client.ask(`/v1/sandboxes/${nowhere}${rest}`);
        const { requestId: _one, ...seen } = there.json;
        const { requestId: _other, ...usual } = absent.json;
        expect([rest, there.status]).toEqual([rest, 404]);
        expect(JSON.stringify(seen)).toBe(JSON.stringify(usual).replaceAll(nowhere, sandboxId));
      }
      expect((await client.ask(`/v1/sandboxes/${sandboxId}`, { method: 'DELETE' })).status).toBe(404);
      expect((await client.person(`/v1/approvals/${approvalId}`)).status).toBe(404);
      const answered = await client.person(`/v1/approvals/${approvalId}`, { body: { choice: 'once' } });
      expect(answered.status).toBe(404);
    }
});

it('an answer is for the command of its owner, though others wait under the same exec id', async () => {
  const [alice, bob] = clients;
  if (alice === undefined || bob === undefined) throw new Error('no clients');
  const given = await alice.person(`/v1/approvals/${alice.approvalId}`, { body: { choice: 'once' } });
  expect(given.status).toBe(204);
  const path = '/v1/sandboxes/build/execs';
  expect((await alice.ask(path, { body: waiting })).json).toMatchObject({ execId: 'exec_asks', exit: { exitCode: 0 } });
  expect((await bob.ask(path, { body: waiting })).json).toMatchObject({ details: { approvalId: bob.approvalId } });
});

it('an owner who makes a task that another one removed and kept the files of sees an empty directory', async () => {
  const [alice, bob] = clients;
  if (alice === undefined || bob === undefined) throw new Error('no clients');
  const body = { taskId: 'kept', backend: 'docker' };
  await alice.ask('/v1/sandboxes', { body });
  await alice.ask('/v1/sandboxes/kept/files?path=/workspace/mine', { method: 'PUT', body: alice.marker });
  expect((await alice.ask('/v1/sandboxes/kept?keepFiles=true', { method: 'DELETE' })).status).toBe(204);
  expect((await bob.ask('/v1/sandboxes', { body })).status).toBe(200);
  const listed = await bob.ask('/v1/sandboxes/kept/files/list?path=/workspace');
  expect(listed.json['entries']).toEqual([]);
  await alice.ask('/v1/sandboxes', { body });
  expect((await alice.ask('/v1/sandboxes/kept/files?path=/workspace/mine')).text).toBe(alice.marker);
});

it('an owner has no sandbox on a backend that does not keep owners apart', async () => {
  const [alice] = clients;
  const refused = await alice?.ask('/v1/sandboxes', { body: { taskId: 'host', backend: 'local' } });
  expect(refused?.json).toMatchObject({ status: 403, code: 'permission_denied' });
});

it('an owner has what the configuration allows it, and no more', async () => {
  const carol = clients.find(({ name }) => name === 'carol');
  const { json } = (await carol?.ask('/v1/sandboxes/build')) ?? {};
  expect(json?.spec).toMatchObject({ network: 'none', limits: { memoryBytes: 64 * 1024 ** 2 } });
  expect(json?.effective).toMatchObject({ routed: false });
  const body = { taskId: 'large', backend: 'docker', limits: { memoryBytes: 128 * 1024 ** 2 } };
  const refused = await carol?.ask('/v1/sandboxes', { body });
  expect(refused?.json).toMatchObject({ status: 403, details: { limit: 'memoryBytes', cap: 64 * 1024 ** 2 } });
});

it('no token of another owner than the operator may administer', async () => {
  const wanted = { name: 'all', scopes: ['admin'], owner: 'alice' } as const;
  await expect(api.tokens.create(wanted, 'test')).rejects.toMatchObject({ code: 'invalid_argument' });
});
