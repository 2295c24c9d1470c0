/** Records of several owners, as tokens of the service see them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectCaisson } from '../../src/client/connect.ts';
import type { CaissonClient } from '../../src/client/types.ts';
import { openWorld, type World } from './world.ts';

let world: World;
const clients: Record<string, CaissonClient> = {};

async function clientOf(
  name: string,
  input: { readonly owner?: string; readonly task?: string; readonly scopes: ('read' | 'run' | 'admin')[] },
) {
  const { token } = await world.api.tokens.create({ name, ...input }, 'test');
  return (clients[name] = connectCaisson({ url: world.url, token }));
}
const client = (name: string): CaissonClient => {
  const found = clients[name];
  if (found === undefined) throw new Error(`no client ${name}`);
  return found;
};

beforeAll(async () => {
  world = await openWorld({
    config: 'approvals: {rules: {deny: ["terminal(git push:*)"]}}\nowners: {default: {backends: [local]}}\n',
  });
  await clientOf('alice', { owner: 'alice', scopes: ['read', 'run'] });
  await clientOf('bob', { owner: 'bob', scopes: ['read', 'run'] });
  await clientOf('bound', { owner: 'alice', task: 'other', scopes: ['read', 'run'] });
  await clientOf('admin', { scopes: ['read', 'run', 'admin'] });
  await client('alice').run({ taskId: 'build', command: ['sh', '-c', 'exit 3'] });
  await client('alice').run({ taskId: 'other', command: ['true'] });
  await client('bob').run({ taskId: 'build', command: ['echo', 'of bob'] });
  await client('alice')
    .run({ taskId: 'build', command: ['git', 'push'] })
    .catch(() => undefined);
});
afterAll(async () => {
  for (const each of Object.values(clients)) await each.close();
  await world[Symbol.asyncDispose]();
});

const shown = async (name: string, filter: Parameters<CaissonClient['history']['list']>[0] = {}) =>
  (await client(name).history.list(filter)).items.map((each) => `${each.owner} ${each.taskId} ${each.outcome}`);

it('an owner sees its own acts under its own names, and the operator those of all', async () => {
  expect(await shown('alice')).toEqual(['alice build denied', 'alice other done', 'alice build failed']);
  expect(await shown('bob')).toEqual(['bob build done']);
  expect(await shown('admin')).toEqual([
    'alice alice.build denied',
    'bob bob.build done',
    'alice alice.other done',
    'alice alice.build failed',
  ]);
  expect(await shown('admin', { owner: 'bob' })).toEqual(['bob bob.build done']);
  expect(await shown('admin', { task: 'alice.build', outcomes: ['failed'] })).toEqual(['alice alice.build failed']);
  const [, , { execId = '', token = '' } = {}] = (await client('alice').history.list()).items;
  expect(execId).toMatch(/^exec_[^.]+$/);
  expect(token).toMatch(/^tok_/);
});

it('a denied command is there with its rule, though nothing ran', async () => {
  const { items } = await client('alice').history.list({ outcomes: ['denied'] });
  expect(items).toMatchObject([
    { rule: 'terminal(git push:*)', command: ['git', 'push'], sandboxId: null, exitCode: null },
  ]);
  expect(items[0]?.reason).toContain('terminal(git push:*)');
});

it('a token that is bound to a task sees the acts of that task', async () => {
  expect(await shown('bound')).toEqual(['alice other done']);
  await expect(client('bound').history.list({ task: 'build' })).rejects.toMatchObject({ code: 'not_found' });
});

it('another owner is nothing to ask for', async () => {
  const denied = { code: 'permission_denied' };
  await expect(client('bob').history.list({ owner: 'alice' })).rejects.toMatchObject(denied);
  await expect(Array.fromAsync(client('bob').audit.tail({ count: 5, owner: 'alice' }))).rejects.toMatchObject(denied);
  expect(await shown('bob', { task: 'other' })).toEqual([]);
  expect(await Array.fromAsync(client('bob').audit.tail({ count: 50, verdict: 'deny' }))).toEqual([]);
});

it('the audit of an owner is filtered by task, verdict and rule, and the operator finds it by owner', async () => {
  const denials = await Array.fromAsync(client('alice').audit.tail({ count: 50, verdict: 'deny', task: 'build' }));
  expect(denials).toMatchObject([{ type: 'decision', taskId: 'build', rule: 'terminal(git push:*)' }]);
  expect(await Array.fromAsync(client('alice').audit.tail({ count: 50, rule: 'rm -rf' }))).toEqual([]);
  const ofBob = await Array.fromAsync(client('admin').audit.tail({ count: 50, owner: 'bob' }));
  expect(ofBob.map(({ type, taskId }) => [type, taskId])).toEqual([
    ['access', null],
    ['run', 'bob.build'],
    ['exit', 'bob.build'],
  ]);
});

it('a query that cannot be is refused with its place', async () => {
  const token = await world.token('read');
  for (const path of ['/v1/history?since=yesterday', '/v1/history?outcome=odd', '/v1/audit?verdict=maybe']) {
    const answer = await world.ask(path, { token });
    expect([path, answer.status]).toEqual([path, 422]);
    expect(JSON.stringify(await answer.json())).toContain('/query/');
  }
});

it('the uses of sandboxes are those of the owner, with what each did last', async () => {
  const mine = await client('alice').sandboxes.top();
  expect(mine.map(({ taskId, owner, state }) => [taskId, owner, state])).toEqual([
    ['build', 'alice', 'ready'],
    ['other', 'alice', 'ready'],
  ]);
  expect(mine[1]?.last).toMatchObject({ command: ['true'], outcome: 'done' });
  expect(mine[0]).toMatchObject({ stats: null, why: 'its backend has no usage figures' });
  expect((await client('bound').sandboxes.top()).map(({ taskId }) => taskId)).toEqual(['other']);
  expect(await client('admin').sandboxes.top({ owner: 'bob' })).toMatchObject([{ taskId: 'bob.build' }]);
  await expect(client('bob').sandboxes.top({ owner: 'alice' })).rejects.toMatchObject({ code: 'permission_denied' });
});

it('the status is the operator’s, and names what a person should look at', async () => {
  await expect(client('alice').installation.status()).rejects.toMatchObject({ code: 'permission_denied' });
  const status = await client('admin').installation.status();
  expect(status).toMatchObject({
    backends: [{ backend: 'local', status: 'ready' }],
    stuck: [],
    day: { lost: 0, denied: 1 },
    approvalsWaiting: 0,
    egress: { running: false, figures: null },
    sandboxes: [{ backend: 'local', state: 'ready', count: 3 }],
  });
  expect(status.audit.verified).toBeNull();
  await client('admin').audit.verify();
  const { verified } = (await client('admin').installation.status()).audit;
  expect(verified).toMatchObject({ intact: true, through: status.audit.records });
});
