/**
 * Twenty owners with tasks, execs, processes and files of the same names, at random over all routes: each sees what a model
 * says that it made, and no byte of another one. `scripts/load.ts` runs it for longer.
 */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { report } from '../counts.ts';
import { type Serving, serve } from '../../src/http/serve.ts';
import type { Route } from '../../src/http/route.ts';
import { routes } from '../../src/http/table.ts';
import { openCaisson } from '../../src/main.ts';
import type { CaissonApi, Scope } from '../../src/service/api.ts';
import { type Home, makeHome } from './home.ts';
import { expectFiles } from './owners-files.ts';
import { any, type Ask, expectNothingOfOthers, Owner, type Request, type Task } from './owners-model.ts';
import { elsewhere, inSandbox, recorded, usual } from './owners-requests.ts';

const seconds = Number(process.env['CAISSON_LOAD_OWNERS_SECONDS'] ?? 3);
const count = 20;
const workers = 4;
/** `build` stays; `work` comes and goes. */
const taskIds = ['build', 'work'] as const;
const lasting: ReadonlySet<string> = new Set(['DELETE /v1/sandboxes/{id}', 'POST /v1/sandboxes/{id}/stop']);

/** Tasks come and go more often than their share of the routes. */
const often = routes.filter(({ method, path }) =>
  ['POST /v1/sandboxes', 'DELETE /v1/sandboxes/{id}'].includes(`${method} ${path}`),
);
const turns = [...routes, ...often, ...often, ...often];

let home: Home;
let api: CaissonApi;
let serving: Serving;
let owners: readonly Owner[];
const asked = new Map<string, number>();
const toOthers = new Map<string, number>();

const askOf =
  (token: string): Ask =>
  async (path, { method, body, accept = 'application/json' }) => {
    const bytes = typeof body === 'string';
    const type = { 'content-type': bytes ? 'application/octet-stream' : 'application/json' };
    const response = await fetch(serving.url + path, {
      method,
      headers: { ...(body === undefined ? {} : type), authorization: `Bearer ${token}`, accept },
      ...(body === undefined ? {} : { body: bytes ? body : JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };

async function ownerNamed(name: string): Promise<Owner> {
  const token = async (...scopes: readonly Scope[]): Promise<Ask> =>
    askOf((await api.tokens.create({ name: scopes.join('-'), scopes, owner: name }, 'test')).token);
  const marker = `canary-${randomBytes(9).toString('hex')}`;
  const owner = new Owner(name, { marker, ask: await token('run', 'read'), person: await token('approve', 'read') });
  await makeTask(owner, 'build');
  return owner;
}

/** A task that is new has the files that this owner kept, and those of no other one. */
async function makeTask(owner: Owner, taskId: string): Promise<void> {
  const begun = new Date();
  const made = await owner.ask('/v1/sandboxes', { method: 'POST', body: { taskId, backend: 'docker' } });
  owner.note(begun, `POST /v1/sandboxes ${taskId}`, made);
  expect(made).toMatchObject({ status: 200 });
  const { sandbox, how } = JSON.parse(made.text);
  const before = owner.tasks.get(taskId);
  expect([how === 'created', sandbox.id === before?.sandboxId]).toEqual([before === undefined, before !== undefined]);
  if (before !== undefined) return void (before.stopped = false);
  const task = {
    taskId,
    sandboxId: String(sandbox.id),
    files: owner.kept.get(taskId) ?? new Map<string, string>(),
    stopped: false,
  };
  owner.kept.delete(taskId);
  owner.tasks.set(taskId, task);
  owner.ids.push(task.sandboxId);
  expectFiles(await owner.ask(`/v1/sandboxes/${taskId}/files/list?path=/workspace`, { method: 'GET' }), task);
}

beforeAll(async () => {
  home = await makeHome();
  const config = `approvals: {remote_timeout: 3600, rules: {ask: ["terminal(touch:*)"]}}\nterminal: {container_memory: 64}\n`;
  await writeFile(join(home.path, 'config.yaml'), config, { mode: 0o600 });
  api = await openCaisson({ home: home.path, env: home.env, cwd: home.path, approver: 'queue' });
  const settings = { ...api.config.server, port: 0, shutdown_seconds: 0.5 };
  serving = await serve(api, { settings, isPublic: false, log: new PassThrough() });
  const names = Array.from({ length: count - 1 }, (_, index) => `owner-${index}`);
  owners = await Promise.all([...names, 'operator'].map(ownerNamed));
}, 300_000);

afterAll(async () => {
  await serving.stop();
  await api.close();
  await home[Symbol.asyncDispose]();
}, 120_000);

const nowhere: Task = { taskId: 'none', sandboxId: 'none', files: new Map(), stopped: false };

async function send(owner: Owner, route: Route, { id, request }: { id: string; request: Request }) {
  const { params = {}, query, body, accept } = request;
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_all, key: string) =>
    key === 'id' ? id : (params[key] ?? 'none'),
  );
  const url = query === undefined ? path : `${path}?${query}`;
  const ask = route.scope === 'approve' || route.path.includes('approval') ? owner.person : owner.ask;
  // What has no answer as JSON streams.
  const isStream = route.events !== undefined && route.answer.type === 'undefined';
  const type = accept ?? (isStream ? 'application/x-ndjson' : undefined);
  const how = {
    method: route.method,
    ...(body === undefined ? {} : { body }),
    ...(type === undefined ? {} : { accept: type }),
  };
  const begun = new Date();
  const answer = await ask(url, how);
  owner.note(begun, `${route.method} ${url} ${JSON.stringify(body) ?? ''}`, answer);
  expectNothingOfOthers(owner, owners, answer, `${route.method} ${url}`);
  return answer;
}

const counted = (counts: Map<string, number>, name: string): unknown => counts.set(name, (counts.get(name) ?? 0) + 1);

async function step(owner: Owner, route: Route): Promise<void> {
  const name = `${route.method} ${route.path}`;
  if (name === 'POST /v1/sandboxes') await makeTask(owner, any([...taskIds, 'work']));
  else if (route.scope === 'admin') {
    const answer = await send(owner, route, { id: 'build', request: usual(route) });
    expect([name, answer.status]).toEqual([name, 403]);
  } else if (!route.path.includes('{id}')) {
    const request = (elsewhere[name] ?? (() => usual(route)))(owner, owners);
    if (request === null) return;
    await request.check(await send(owner, route, { id: 'none', request }));
  } else await stepInSandbox(owner, route, name);
  counted(asked, name);
}

const stops = (name: string, stopped: boolean): boolean =>
  name === 'POST /v1/sandboxes/{id}/stop' || (stopped && name !== 'POST /v1/sandboxes/{id}/start');

/** Without a sandbox, a removal takes the files that an earlier one has kept. */
const removesKept = (owner: Owner, name: string, { id, request }: { id: string; request: Request }): boolean =>
  name === 'DELETE /v1/sandboxes/{id}' && request.query === 'keepFiles=false' && owner.kept.delete(id);

/** Asks for a task that exists, for one that does not, or for another owner's sandbox, which must seem not to exist. */
async function stepInSandbox(owner: Owner, route: Route, name: string): Promise<void> {
  const foreign = any(owners.filter((each) => each !== owner));
  const isForeign = Math.random() < 0.3;
  const taskId = lasting.has(name) ? 'work' : any(taskIds);
  const task = isForeign ? undefined : owner.tasks.get(taskId);
  const id = isForeign
    ? any(foreign.ids.filter((each) => each.startsWith('sbx_')))
    : any([taskId, task?.sandboxId ?? taskId]);
  const request = inSandbox[name]?.(owner, task ?? nowhere, id) ?? usual(route);
  const answer = await send(owner, route, { id, request });
  if (task?.stopped === true && answer.status === 412 && answer.text.includes('does not run')) return;
  if (task !== undefined && answer.status < 300) task.stopped = stops(name, task.stopped);
  if (task !== undefined || (recorded.has(name) && !isForeign)) return await request.check(answer);
  if (!isForeign && answer.status === 204 && removesKept(owner, name, { id, request })) return;
  expect([name, id, answer.status, answer.text]).toEqual([name, id, 404, expect.stringContaining('not_found')]);
  if (isForeign) counted(toOthers, name);
}

it(
  `${count} owners at random over all routes for ${seconds} s see what they made, and nothing of another one (API-12)`,
  { timeout: seconds * 1000 + 300_000, retry: 0 },
  async () => {
    const end = performance.now() + seconds * 1000;
    const failed = new AbortController();
    let turn = 0;
    const work = async (_worker: unknown, worker: number): Promise<void> => {
      const mine = owners.filter((_, index) => index % workers === worker);
      while (!failed.signal.aborted && (performance.now() < end || turn < turns.length)) {
        const route = turns[turn++ % turns.length] ?? expect.unreachable();
        await step(any(mine), route).catch((error: unknown) => {
          failed.abort();
          throw error;
        });
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: workers }).map(work));
    for (const each of ends) if (each.status === 'rejected') throw each.reason;
    const sum = (counts: ReadonlyMap<string, number>): number =>
      [...counts.values()].reduce((all, each) => all + each, 0);
    const made = owners.reduce((all, { ids }) => all + ids.filter((id) => id.startsWith('sbx_')).length, 0);
    report({
      owners: count,
      requests: sum(asked),
      routes: asked.size,
      routesThereAre: routes.length,
      toSandboxesOfOthers: sum(toOthers),
      sandboxesMade: made,
    });
    expect(asked.size).toBeGreaterThanOrEqual(routes.length - 2);
    expect(sum(toOthers)).toBeGreaterThan(5);
  },
);
