/** Changes of state as a client of the service follows them. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DatabaseSync } from 'node:sqlite';
import { openCaisson } from '../../src/main.ts';
import { everyLine, linesOf, openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => (world = await openWorld()));
afterAll(async () => await world[Symbol.asyncDispose]());

const read = async (query = 'follow=false') => await everyLine(await world.ask(`/v1/events?${query}`));

it('names sandbox, exec, process, and the token that made them', async () => {
  await world.ask('/v1/sandboxes', { body: { taskId: 'build' } });
  const execs = '/v1/sandboxes/build/execs';
  await everyLine(await world.ask(execs, { body: { command: ['sh', '-c', 'exit 3'], execId: 'exec_seen' } }));
  await world.ask('/v1/sandboxes/build/stop', { method: 'POST' });
  await expect.poll(async () => (await read()).some(({ type }) => type === 'exec.ended')).toBe(true);
  const events = await read();
  const seqs = events.map(({ seq }) => Number(seq));
  expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
  const tokens = await world.api.tokens.list();
  const agent = tokens.find(({ scopes }) => scopes.includes('admin'))?.id;
  const mine = { owner: 'operator', author: agent, reason: null };
  const ofTask = (data: object) => ({ ...mine, data: expect.objectContaining({ taskId: 'build', ...data }) });
  expect(events).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'sandbox.state', ...ofTask({ from: null, to: 'creating' }) }),
      expect.objectContaining({ type: 'sandbox.state', ...ofTask({ from: 'creating', to: 'ready' }) }),
      expect.objectContaining({ type: 'exec.started', ...ofTask({ execId: 'exec_seen' }) }),
      expect.objectContaining({
        type: 'exec.ended',
        ...ofTask({ execId: 'exec_seen', reason: 'exited', exitCode: 3 }),
      }),
      expect.objectContaining({ type: 'sandbox.state', ...ofTask({ to: 'stopping' }) }),
    ]),
  );
  expect(events.filter(({ type }) => type === 'exec.ended')).toHaveLength(1);
});

it('goes on after a number, as SSE and as NDJSON', async () => {
  const [first, ...rest] = await read();
  expect(await read(`follow=false&after=${String(first?.['seq'])}`)).toEqual(rest);
  const headers = { accept: 'text/event-stream', 'last-event-id': String(first?.['seq']) };
  const text = await (await world.ask('/v1/events?follow=false', { headers })).text();
  expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))).toEqual(rest.map(({ seq }) => seq));
});

it('shows what another process changed within a second, in a stream that goes on', async () => {
  const leave = new AbortController();
  const last = (await read()).at(-1)?.['seq'];
  const response = await world.ask(`/v1/events?after=${String(last)}`, { signal: leave.signal });
  const env = { PATH: process.env['PATH'], CAISSON_SECURITY_TIRITH_ENABLED: 'false' };
  await using cleanup = new AsyncDisposableStack();
  const beside = await openCaisson({ home: join(world.root, 'home'), env, cwd: world.root, approver: 'queue' });
  cleanup.defer(async () => await beside.close());
  await beside.sandboxes.create({ taskId: 'beside' });
  const made = Date.now();
  for await (const { data, author } of linesOf(response)) {
    if (Object(data)['to'] !== 'ready') continue;
    expect([Object(data)['taskId'], author]).toEqual(['beside', 'operator']);
    break;
  }
  expect(Date.now() - made).toBeLessThan(1500);
  leave.abort();
});

it('says 410 with what is left once older events are gone, and for a number that never was', async () => {
  const db = new DatabaseSync(join(world.root, 'home', 'caisson.db'));
  const [, , third] = await read();
  db.prepare('DELETE FROM events WHERE seq < ?').run(Number(third?.['seq']));
  db.prepare("UPDATE event_owners SET gone = ? WHERE owner = ''").run(Number(third?.['seq']) - 1);
  db.close();
  const gone = await world.ask('/v1/events?after=1');
  expect(gone.status).toBe(410);
  expect(await gone.json()).toMatchObject({ details: { left: { oldest: third?.['seq'] } } });
  expect((await world.ask('/v1/events?after=999999')).status).toBe(410);
  expect((await read())[0]).toEqual(third);
});

it('an owner reads its own entries of the audit, and cannot verify the chain', async () => {
  const made = await world.api.tokens.create({ name: 'a', scopes: ['read'], owner: 'alice' }, 'test');
  const token = made.token;
  const records = await everyLine(await world.ask('/v1/audit?count=1000', { token }));
  expect(records.every(({ owner }) => owner === 'alice')).toBe(true);
  const all = await everyLine(await world.ask('/v1/audit?count=1000'));
  expect(all.find(({ execId, type }) => execId === 'exec_seen' && type === 'run')).toMatchObject({
    owner: 'operator',
    token: expect.stringMatching(/^tok_/),
  });
  expect((await world.ask('/v1/audit/verification', { token })).status).toBe(403);
  expect(await (await world.ask('/v1/audit/verification')).json()).toMatchObject({ intact: true });
  expect(await everyLine(await world.ask('/v1/events?follow=false', { token }))).toEqual([]);
  const ofTask = async (task: string, own?: object) =>
    await everyLine(await world.ask(`/v1/events?follow=false&task=${task}&type=sandbox.state`, own));
  const changes = await ofTask('build');
  expect([changes.length > 0, await ofTask('build', { token })]).toEqual([true, []]);
  const id = String(Object(changes[0]?.['data'])['sandboxId']);
  expect(await ofTask(id)).toEqual(changes);
  expect(await ofTask(id, { token })).toEqual([
    expect.objectContaining({ type: 'error', error: expect.objectContaining({ status: 404 }) }),
  ]);
});

it('says 410 in the stream to a reader that is overtaken there', async () => {
  const newest = Number((await read()).at(-1)?.['seq']);
  const leave = new AbortController();
  const response = await world.ask(`/v1/events?after=${newest}`, { signal: leave.signal });
  const db = new DatabaseSync(join(world.root, 'home', 'caisson.db'));
  db.exec(`BEGIN IMMEDIATE;
    INSERT INTO events (seq, type, owner, happened_at, author, reason, data)
    SELECT seq + 1000, type, owner, happened_at, author, reason, data FROM events;
    DELETE FROM events WHERE seq <= ${newest + 100};
    UPDATE event_owners SET gone = ${newest + 100} WHERE owner = '';
    COMMIT`);
  db.close();
  const first = (await linesOf(response).next()).value;
  leave.abort();
  expect(first).toMatchObject({ type: 'error', error: { status: 410, details: { after: newest, left: {} } } });
});
