/** Requests that are repeated with the same key. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { everyLine, openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
  await world.ask('/v1/sandboxes', { body: { taskId: 'build' } });
});
afterAll(async () => await world[Symbol.asyncDispose]());

const execs = '/v1/sandboxes/build/execs';
const once = (key: string, more: object = {}) => ({
  body: { command: ['sh', '-c', `echo run >>${join(world.root, 'runs')}; echo done`], ...more },
  headers: { 'idempotency-key': key },
});

it('a repeated key gives the same exec, streamed and collected, and runs nothing again', async () => {
  const events = await everyLine(await world.ask(execs, once('first-1')));
  expect(events.at(-1)).toMatchObject({ type: 'exit', exit: { exitCode: 0 } });
  expect(await everyLine(await world.ask(execs, once('"first-1"')))).toEqual(events);
  const { headers, body } = once('first-1');
  const collected = await world.ask(execs, { body, headers: { ...headers, accept: 'application/json' } });
  expect(await collected.json()).toMatchObject({ execId: events[0]?.['execId'], stdout: { text: 'done\n' } });
  expect(readFileSync(join(world.root, 'runs'), 'utf8')).toBe('run\n');
  const other = await world.ask(execs, { body: { command: ['ls'] }, headers });
  expect(other.status).toBe(409);
});

it('a key is refused beside an execId, and when it has a wrong form', async () => {
  expect((await world.ask(execs, once('k', { execId: 'exec_k' }))).status).toBe(422);
  expect((await world.ask(execs, once('"'))).status).toBe(422);
});

it('a detached process is started once for a key, and reads what is sent to its input', async () => {
  const path = '/v1/sandboxes/build/processes';
  const request = { body: { command: ['cat'], stdin: true }, headers: { 'idempotency-key': 'proc' } };
  const { id } = Object(await (await world.ask(path, request)).json());
  expect(await (await world.ask(path, request)).json()).toMatchObject({ id, started: false });
  const input = { method: 'PUT', body: 'hello\n', headers: { 'content-type': 'application/octet-stream' } };
  expect((await world.ask(`${path}/${id}/input`, input)).status).toBe(204);
  expect(await (await world.ask(`${path}/${id}/wait`)).json()).toMatchObject({ state: 'exited', exitCode: 0 });
  const events = await everyLine(await world.ask(`${execs}/${id}`));
  expect(events.find(({ type }) => type === 'stdout')).toMatchObject({ data: 'hello\n' });
});
