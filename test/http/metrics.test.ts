/** GET /metrics: who may read it, what it counts, and that its series are few whatever clients send. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openStore } from '../../src/store/sqlite/open.ts';
import { everyLine, openWorld, type World } from './world.ts';

let world: World;
const config = `
approvals: {remote_timeout: 60, rules: {ask: ["terminal(touch:*)"]}}
webhooks: {ops: {url: "https://hooks.example.com/secret-path", secret_env: HOOK_SECRET}}
`;
beforeAll(async () => (world = await openWorld({ config })));
afterAll(async () => await world[Symbol.asyncDispose]());

const scrape = async (): Promise<string> => await (await world.ask('/metrics')).text();
const seriesIn = (page: string): readonly string[] => page.split('\n').filter((line) => /^[a-z]/.test(line));
const namesIn = (page: string): ReadonlySet<string> =>
  new Set(seriesIn(page).map((line) => /^[a-z_]+/.exec(line)?.[0] ?? ''));

/** The value of a series whose labels are among these, whatever their order. */
function valueOf(page: string, name: string, labels: Readonly<Record<string, string>> = {}): number | null {
  const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
  const line = seriesIn(page).find(
    (each) => (each.startsWith(`${name} `) || each.startsWith(`${name}{`)) && wanted.every((one) => each.includes(one)),
  );
  return line === undefined ? null : Number(line.split(' ').at(-1));
}

const run = async (task: string, command: readonly string[], more: object = {}) =>
  await everyLine(await world.ask(`/v1/sandboxes/${task}/execs`, { body: { command, ...more } }));

/** Figures in the form in which the proxy of the state directory leaves them. */
const proxied = { open: 2, allowed: 5, denied: 3, sentBytes: 100, receivedBytes: 2000 };

describe('who may read metrics', () => {
  it('is refused without a token, without the scope read, to other owners and to tokens that are bound', async () => {
    expect((await world.ask('/metrics', { token: null })).status).toBe(401);
    expect((await world.ask('/metrics', { token: await world.token('run', 'admin') })).status).toBe(403);
    const tokenOf = async (bounds: object) =>
      (await world.api.tokens.create({ name: 'x', scopes: ['read'], ...bounds }, 'test')).token;
    expect((await world.ask('/metrics', { token: await tokenOf({ owner: 'alice' }) })).status).toBe(403);
    expect((await world.ask('/metrics', { token: await tokenOf({ task: 'build' }) })).status).toBe(403);
    const response = await world.ask('/metrics', { token: await world.token('read') });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
  });
});

describe('what metrics count', () => {
  it('has the use of budgets, their limits and what they refused, by budget and never by owner', async () => {
    const budget = world.api.installation.budget('questions');
    const shares = Array.from({ length: 64 }, () => budget.take('mallory'));
    expect(() => budget.take('mallory')).toThrow(expect.objectContaining({ code: 'resource_exhausted' }));
    const page = await scrape();
    expect(valueOf(page, 'caisson_budget_used', { budget: 'questions' })).toBe(64);
    expect(valueOf(page, 'caisson_budget_largest', { budget: 'questions' })).toBe(64);
    expect(valueOf(page, 'caisson_budget_limit', { budget: 'questions', of: 'total' })).toBe(256);
    expect(valueOf(page, 'caisson_budget_refused_total', { budget: 'questions', reason: 'owner' })).toBe(1);
    expect(page).not.toContain('mallory');
    const listed = await world.ask('/v1/budgets', { token: await world.token('read') });
    expect(await listed.json()).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ name: 'questions', used: 64, largest: { owner: 'mallory', used: 64 } }),
      ]),
    });
    for (const share of shares) share.free();
    expect(valueOf(await scrape(), 'caisson_budget_used', { budget: 'questions' })).toBe(0);
  });

  it('shows budgets to tokens of the operator alone', async () => {
    const alice = await world.api.tokens.create({ name: 'x', owner: 'alice', scopes: ['read'] }, 'test');
    expect((await world.ask('/v1/budgets', { token: alice.token })).status).toBe(403);
  });

  it('has sandboxes by state, execs by reason, steps, and what is open', async () => {
    await world.ask('/v1/sandboxes', { body: { taskId: 'zebra' } });
    await run('zebra', ['true']);
    await run('zebra', ['sh', '-c', 'exit 3']);
    await run('zebra', ['sleep', '60'], { timeoutMs: 200 });
    await mkdir(join(world.api.config.home, 'egress'), { recursive: true });
    await writeFile(join(world.api.config.home, 'egress/figures.json'), JSON.stringify(proxied));
    const stream = await world.ask('/v1/events');
    await expect
      .poll(async () => valueOf(await scrape(), 'caisson_execs_ended_total', { reason: 'timed-out' }))
      .toBe(1);
    const page = await scrape();
    expect(valueOf(page, 'caisson_execs_ended_total', { backend: 'local', reason: 'exited' })).toBe(2);
    expect(valueOf(page, 'caisson_execs_started_total', { backend: 'local' })).toBe(3);
    expect(valueOf(page, 'caisson_sandboxes', { backend: 'local', state: 'ready' })).toBe(1);
    expect(valueOf(page, 'caisson_sandbox_changes_total', { from: 'creating', to: 'ready', by: 'token' })).toBe(1);
    expect(valueOf(page, 'caisson_egress_connections_open')).toBe(2);
    expect(valueOf(page, 'caisson_egress_connections_total', { verdict: 'deny' })).toBe(3);
    expect(valueOf(page, 'caisson_egress_bytes_total', { direction: 'received' })).toBe(2000);
    for (const step of ['policy', 'start', 'first_byte'])
      expect([step, valueOf(page, 'caisson_step_duration_seconds_count', { step })]).toEqual([step, 3]);
    expect(valueOf(page, 'caisson_step_duration_seconds_count', { step: 'create' })).toBe(1);
    expect(valueOf(page, 'caisson_http_streams_open')).toBe(1);
    expect(valueOf(page, 'caisson_http_streams_total', { route: '/v1/sandboxes/:id/execs' })).toBe(3);
    expect(valueOf(page, 'caisson_commands_total', { way: 'direct' })).toBeGreaterThan(0);
    expect(valueOf(page, 'caisson_audit_records')).toBeGreaterThan(2);
    expect(valueOf(page, 'caisson_store_bytes', { file: 'database' })).toBeGreaterThan(4096);
    await stream.body?.cancel();
    await expect.poll(async () => valueOf(await scrape(), 'caisson_http_streams_open')).toBe(0);
  });

  it('has requests by route, method and class of status, and one series for all that have no route', async () => {
    const ofNone = { route: 'none', method: 'any', status: '4xx' };
    const count = async (labels: Readonly<Record<string, string>>) =>
      valueOf(await scrape(), 'caisson_http_request_duration_seconds_count', labels) ?? 0;
    const before = await count(ofNone);
    await world.ask('/v1/sandboxes/not-there');
    for (const path of ['/a', '/b?token=secret-word', '/wp-admin/secret-word']) await world.ask(path);
    expect(await count({ route: '/v1/sandboxes/:id', method: 'GET', status: '4xx' })).toBe(1);
    expect((await count(ofNone)) - before).toBe(3);
    expect(await scrape()).not.toMatch(/secret-word|not-there|wp-admin/);
  });

  it('has the sockets that are open', async () => {
    await world.ask('/v1/sandboxes', { body: { taskId: 'zebra' } });
    const url = `${world.url.replace('http', 'ws')}/v1/sandboxes/zebra/pty?command=cat`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${world.agent}` } });
    await new Promise((resolve) => socket.once('open', resolve));
    expect(valueOf(await scrape(), 'caisson_http_sockets_open')).toBe(1);
    socket.send(JSON.stringify({ type: 'cancel' }));
    await new Promise((resolve) => socket.once('close', resolve));
  });

  it('has questions that wait, and how they were answered', async () => {
    await world.ask('/v1/sandboxes', { body: { taskId: 'zebra' } });
    const running = world.ask('/v1/sandboxes/zebra/execs', { body: { command: ['touch', 'x'] } });
    await expect.poll(async () => valueOf(await scrape(), 'caisson_approvals_waiting')).toBe(1);
    const [question] = await world.api.approvals.list();
    await world.api.approvals.answer(question?.id ?? '', 'deny', 'a person');
    await (await running).text();
    const page = await scrape();
    expect(valueOf(page, 'caisson_approvals_waiting')).toBe(0);
    expect(valueOf(page, 'caisson_approvals_asked_total')).toBe(1);
    expect(valueOf(page, 'caisson_approvals_answered_total', { state: 'denied', choice: 'deny' })).toBe(1);
  });
});

describe('series', () => {
  it('are as many after 10,000 execs of 500 tasks and owners as after one, and name none of them', async () => {
    const home = join(world.root, 'home');
    const { store } = await openStore(join(home, 'caisson.db'));
    await run('zebra', ['true']);
    const before = seriesIn(await scrape()).length;
    const reasons = ['exited', 'signaled', 'timed-out', 'canceled', 'output-limit', 'out-of-memory', 'lost'];
    const others = ['Ignore all', 'x'.repeat(500), '{"a":1}'];
    for (let count = 0; count < 10_000; count++) {
      const exec = {
        id: `exec_many-${count}`,
        taskId: `owner-${count % 500}.task-${count % 500}`,
        sandboxId: `sbx_${count}`,
        backend: count % 2 === 0 ? 'docker' : 'local',
      };
      store.execs.insertFresh({ ...exec, kind: 'exec', request: null, startedAt: store.steadyNow() });
      const reason = count < others.length ? (others[count] ?? '') : (reasons[count % reasons.length] ?? '');
      store.execs.ended(exec, { reason, exitCode: 0, signal: null });
      if (count % 500 === 499) await store.execs.find(exec.id);
    }
    await store.close();
    const page = await scrape();
    const ended = seriesIn(page).filter((line) => line.startsWith('caisson_execs_ended_total'));
    expect(ended.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)).toBeGreaterThanOrEqual(10_000);
    expect(valueOf(page, 'caisson_execs_ended_total', { reason: 'other' })).toBeGreaterThan(0);
    // Two backends, seven reasons and "other", and one more start.
    expect(seriesIn(page).length - before).toBeLessThanOrEqual(2 * 8 + 1);
    expect(page).not.toMatch(/owner-\d|task-\d|sbx_|exec_many|Ignore all|zebra|tok_|hooks\.example|secret-path/);
    expect(page).not.toContain(world.agent);
  }, 60_000);

  it('of backends are bounded, whatever names events hold', async () => {
    const { store } = await openStore(join(world.root, 'home', 'caisson.db'));
    for (let count = 0; count < 100; count++) {
      const exec = { id: `exec_name-${count}`, taskId: 'x', sandboxId: 'sbx_1', backend: `made-up-${count}` };
      store.execs.insertFresh({ ...exec, kind: 'exec', request: null, startedAt: store.steadyNow() });
    }
    await store.close();
    const started = seriesIn(await scrape()).filter((line) => line.startsWith('caisson_execs_started_total'));
    expect(started.length).toBeLessThanOrEqual(33);
    expect(started.some((line) => line.includes('backend="other"'))).toBe(true);
  });
});

describe('two services in one process', () => {
  it('count apart', async () => {
    await using other = await openWorld();
    const page = await (await other.ask('/metrics')).text();
    expect(valueOf(page, 'caisson_http_request_duration_seconds_count', { route: '/v1/sandboxes' })).toBeNull();
  });
});

/** Names of series that the metrics of a page can have. */
const seriesOf = (page: string): readonly string[] =>
  [...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? [name, `${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
  );

describe('the page on operating', () => {
  it('names every metric, and no other', async () => {
    const text = await readFile(new URL('../../docs/operating.md', import.meta.url), 'utf8');
    const named = new Set([...text.matchAll(/\bcaisson_[a-z_]+/g)].map(([name]) => name));
    const page = await scrape();
    for (const name of named) expect(seriesOf(page)).toContain(name);
    const metrics = [...page.matchAll(/^# TYPE (caisson_\S+)/gm)].map(([, name]) => name);
    for (const name of metrics) expect(named).toContain(name);
  });
});

describe('the board for Grafana', () => {
  it('asks only for metrics that there are', async () => {
    const text = await readFile(new URL('../../docs/grafana.json', import.meta.url), 'utf8');
    const queries = [...text.matchAll(/"expr": "((?:[^"\\]|\\.)*)"/g)].map(([, query = '']) => query);
    expect(queries.length).toBeGreaterThan(15);
    const page = await scrape();
    for (const query of queries) {
      const named = [...query.matchAll(/\b(?:caisson|process|nodejs)_[a-z_]+\b/g)].map(([name]) => name);
      expect(named.length).toBeGreaterThan(0);
      for (const name of named) expect(seriesOf(page)).toContain(name);
    }
    expect(namesIn(page).size).toBeGreaterThan(20);
  });

  it('uses only labels that the metrics have', async () => {
    const text = await readFile(new URL('../../docs/grafana.json', import.meta.url), 'utf8');
    const labels = new Set(['le', ...[...(await scrape()).matchAll(/([a-z_]+)="/g)].map(([, label]) => label)]);
    const used = [...text.matchAll(/\b(?:by|without) \(([^)]*)\)|\{([^"}{]+?)(?:=|!=|=~)\\"/g)].flatMap(
      ([, by, where]) => (by ?? where ?? '').split(',').map((label) => label.trim()),
    );
    expect(used.length).toBeGreaterThan(10);
    for (const label of used) expect(labels).toContain(label);
  });
});
