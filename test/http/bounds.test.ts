/** Tokens that are bound to a task, a label, images or backends: what they see, make and cannot reach. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/http/table.ts';
import type { TokenInput } from '../../src/service/api.ts';
import { examples } from './examples.ts';
import { openWorld, type World } from './world.ts';

let world: World;
const label = { key: 'team', value: 'a' };

async function ok(answer: Promise<Response>, status: number): Promise<void> {
  const response = await answer;
  if (response.status !== status) throw new Error(await response.text());
}

beforeAll(async () => {
  world = await openWorld({ config: 'approvals: {remote_timeout: 60, rules: {ask: ["terminal(touch:*)"]}}\n' });
  for (const [taskId, team] of [
    ['one', 'a'],
    ['two', 'b'],
  ]) {
    await ok(world.ask('/v1/sandboxes', { body: { taskId, labels: { team } } }), 200);
    const at = `/v1/sandboxes/${taskId}`;
    const body = { command: ['echo', `secret-${taskId}`], execId: `exec_${taskId}` };
    await ok(world.ask(`${at}/execs`, { body, headers: { accept: 'application/json' } }), 200);
    const process = { command: ['sleep', '60'], execId: `exec_process-${taskId}` };
    await ok(world.ask(`${at}/processes`, { body: process }), 201);
  }
  for (const taskId of ['one', 'two']) {
    const body = { command: ['touch', 'asked'], execId: `exec_asks-${taskId}`, waitForApproval: false };
    await ok(world.ask(`/v1/sandboxes/${taskId}/execs`, { body }), 403);
  }
}, 60_000);
afterAll(async () => await world[Symbol.asyncDispose]());

const tokenFor = async (bounds: Partial<TokenInput>): Promise<string> => {
  const input = { name: 'bound', scopes: ['run', 'read', 'approve'], ...bounds } as const;
  return (await world.api.tokens.create(input, 'test')).token;
};
const jsonOf = async (response: Response) => Object(await response.json());

const kinds: readonly (readonly [string, Partial<TokenInput>])[] = [
  ['a label', { label }],
  ['a task', { task: 'one' }],
];

describe.each(kinds)('a token that is bound to %s', (_kind, bounds) => {
  let token: string;
  beforeAll(async () => (token = await tokenFor(bounds)));
  const ask = async (path: string, how: Parameters<World['ask']>[1] = {}) => await world.ask(path, { token, ...how });
  const idOf = async (task: string) => String((await jsonOf(await world.ask(`/v1/sandboxes/${task}`))).id);

  it('sees its sandbox with execs, processes and files, by either name', async () => {
    for (const id of ['one', await idOf('one')])
      for (const rest of ['', '/limits', '/execs', '/execs/exec_one?follow=false', '/processes', '/sessions'])
        expect([rest, (await ask(`/v1/sandboxes/${id}${rest}`)).status]).toEqual([rest, 200]);
    const path = `/v1/sandboxes/one/files?path=${world.root}/mine`;
    const headers = { 'content-type': 'application/octet-stream' };
    expect((await ask(path, { method: 'PUT', body: 'x', headers })).status).toBe(200);
    const stream = await ask('/v1/sandboxes/one/execs/exec_one', { headers: { accept: 'application/x-ndjson' } });
    expect(await stream.text()).toContain('secret-one');
  });

  it('has nothing of others in lists', async () => {
    const lists = ['/v1/sandboxes', '/v1/execs', '/v1/processes', '/v1/approvals', '/v1/grants'];
    for (const list of [...lists, '/v1/sandboxes?label=team=b', '/v1/sandboxes?limit=1'])
      expect([list, await (await ask(list)).text()]).toEqual([list, expect.not.stringMatching(/["_-]two"/)]);
    const items = async (path: string) => (await jsonOf(await ask(path))).items;
    expect(await items('/v1/sandboxes')).toMatchObject([{ taskId: 'one' }]);
    expect(await items('/v1/execs')).toMatchObject([{ id: 'exec_one' }]);
    expect(await items('/v1/processes')).toMatchObject([{ id: 'exec_process-one' }]);
    expect(await items('/v1/approvals')).toMatchObject([{ taskId: 'one' }]);
    expect(await items('/v1/sandboxes?label=team=b')).toEqual([]);
  });

  it('has nothing of others in the audit and the events, and its own last records however many others there are', async () => {
    const records = async (path: string) => {
      const text = await (await ask(path)).text();
      expect([path, text]).toEqual([path, expect.not.stringMatching(/two|secret-two/)]);
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => Object(JSON.parse(line)));
    };
    for (const type of ['run', 'decision', 'exit'])
      expect(await records('/v1/audit?count=1000')).toContainEqual(expect.objectContaining({ type, taskId: 'one' }));
    const [last] = await records('/v1/audit?count=1');
    expect(last).toMatchObject({ taskId: 'one' });
    const events = await records('/v1/events?follow=false');
    for (const type of ['sandbox.state', 'exec.ended', 'approval.asked'])
      expect(events).toContainEqual(
        expect.objectContaining({ type, data: expect.objectContaining({ taskId: 'one' }) }),
      );
  });

  it('finds nothing of others, whichever route it takes, and changes nothing there', async () => {
    const before = await jsonOf(await world.ask('/v1/sandboxes/two'));
    const waiting = await jsonOf(await world.ask('/v1/approvals', { token: world.person }));
    const approval = waiting.items.find(({ taskId }: { taskId: string }) => taskId === 'two');
    for (const id of ['two', before.id])
      for (const route of routes.filter((each) => each.scope !== 'admin' && each.path.includes('{'))) {
        const name = `${route.method} ${route.path}`;
        const { query = '', body, headers = {} } = examples[name] ?? {};
        const params: Readonly<Record<string, string>> = {
          id,
          execId: 'exec_two',
          processId: 'exec_process-two',
          name: 'main',
          approvalId: approval.id,
          grantId: `grt_${'0'.repeat(24)}`,
        };
        const path = route.path.replaceAll(/\{(\w+)\}/g, (_all, key: string) => params[key] ?? '');
        const url = `${path}${query === '' ? '' : `?${query.replaceAll('ROOT', world.root)}`}`;
        const sent: unknown = body === undefined || typeof body === 'string' ? body : withoutLabels(body);
        const answer = await ask(url, { method: route.method, headers, ...(sent === undefined ? {} : { body: sent }) });
        expect([name, answer.status, await answer.text()]).toEqual([name, 404, expect.not.stringContaining('secret')]);
      }
    const after = await jsonOf(await world.ask('/v1/sandboxes/two'));
    expect([after.state, after.labels, after.lifetimeMs]).toEqual([before.state, before.labels, before.lifetimeMs]);
    expect(await jsonOf(await world.ask('/v1/processes'))).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ id: 'exec_process-two', state: 'running' })]),
    });
  });

  it('reaches no exec of others through its own sandbox', async () => {
    for (const rest of ['execs/exec_two', 'processes/exec_process-two'])
      expect((await ask(`/v1/sandboxes/one/${rest}`)).status).toBe(404);
    expect((await ask('/v1/sandboxes/one/execs/exec_two', { method: 'DELETE' })).status).toBe(404);
  });

  it('does not get the sandbox of others by making it, nor by making it anew', async () => {
    for (const body of [{ taskId: 'two' }, { taskId: 'two', recreate: true }])
      expect((await ask('/v1/sandboxes', { body })).status).toBe(404);
    expect((await jsonOf(await world.ask('/v1/sandboxes/two'))).labels).toEqual({ team: 'b' });
  });

  it('answers no question for all tasks of its owner', async () => {
    const { items } = await jsonOf(await ask('/v1/approvals'));
    const answer = await ask(`/v1/approvals/${items[0].id}`, { body: { choice: 'always' } });
    expect(answer.status).toBe(403);
  });

  it('sees no images, backends and servers of the host', async () => {
    for (const path of ['/v1/images', '/v1/backends']) expect((await ask(path)).status).toBe(403);
  });
});

/** A token with a label is refused labels before it is looked which sandbox is meant. */
function withoutLabels(body: unknown): unknown {
  const { labels: _labels, ...rest } = Object(body);
  return rest;
}

describe('a token that is bound to a label', () => {
  it('makes sandboxes with it, and sets no labels', async () => {
    const token = await tokenFor({ label });
    const made = await world.ask('/v1/sandboxes', { token, body: { taskId: 'three' } });
    expect(await made.json()).toMatchObject({ how: 'created', sandbox: { labels: { team: 'a' } } });
    for (const labels of [{}, { team: 'b' }, { more: 'x' }]) {
      expect((await world.ask('/v1/sandboxes', { token, body: { taskId: 'four', labels } })).status).toBe(403);
      const change = { token, method: 'PATCH', body: { labels } };
      expect((await world.ask('/v1/sandboxes/three', change)).status).toBe(403);
    }
    const change = { token, method: 'PATCH', body: { lifetimeMs: 60_000 } };
    expect(await (await world.ask('/v1/sandboxes/three', change)).json()).toMatchObject({ lifetimeMs: 60_000 });
  });

  it('sees a sandbox no more once the label is gone', async () => {
    const token = await tokenFor({ label });
    await world.ask('/v1/sandboxes', { token, body: { taskId: 'five' } });
    const body = { command: ['true'], execId: 'exec_five' };
    await world.ask('/v1/sandboxes/five/execs', { token, body, headers: { accept: 'application/json' } });
    await world.ask('/v1/sandboxes/five', { method: 'PATCH', body: { labels: { team: null } } });
    for (const rest of ['', '/execs', '/execs/exec_five'])
      expect((await world.ask(`/v1/sandboxes/five${rest}`, { token })).status).toBe(404);
  });
});

it('a token that is bound to a task makes that task and no other', async () => {
  const token = await tokenFor({ task: 'six' });
  expect((await world.ask('/v1/sandboxes/six', { token })).status).toBe(404);
  expect((await world.ask('/v1/sandboxes', { token, body: { taskId: 'seven' } })).status).toBe(404);
  const made = await world.ask('/v1/sandboxes', { token, body: { taskId: 'six', labels: { team: 'a' } } });
  expect(await made.json()).toMatchObject({ how: 'created', sandbox: { taskId: 'six', labels: { team: 'a' } } });
});

it('a token that is bound to backends has no other one', async () => {
  const token = await tokenFor({ backends: ['local'] });
  const create = (body: object) => world.ask('/v1/sandboxes', { token, body: { taskId: 'eight', ...body } });
  expect((await create({ backend: 'docker' })).status).toBe(403);
  expect(await (await create({})).json()).toMatchObject({ sandbox: { backend: 'local' } });
});

it.each([
  ['both a task and a label', { task: 'one', label }],
  ['the scope admin', { scopes: ['admin'], task: 'one' }],
  ['no image at all', { images: [] }],
  ['an image that is an option', { images: ['--privileged'] }],
  ['a reserved label', { label: { key: 'caisson.x', value: '' } }],
  ['what is no task', { task: 'alice.one' }],
] as const)('a token with %s is refused', async (_what, bounds) => {
  const input = { name: 'bound', scopes: ['run'], ...bounds } as const;
  await expect(world.api.tokens.create(input, 'test')).rejects.toMatchObject({ code: 'invalid_argument' });
});
