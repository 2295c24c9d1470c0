/** Events of two owners on docker, through a crash of the service: none is lost, none comes twice. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dockerHost } from '../engines/docker.ts';
import { everyLine } from '../http/world.ts';
import { busybox, type Home, makeHome } from './home.ts';
import { type Service, start } from './http-service.ts';

let home: Home;
let service: Service;
let tokens: readonly string[];

const create = async (owner: string): Promise<string> => {
  const scopes = ['run', 'read', 'approve'].flatMap((scope) => ['--scope', scope]);
  return (await home.cli(['token', 'create', owner, '--owner', owner, ...scopes])).stdout.trim();
};

const ask = async (token: string, path: string, body?: unknown, how: RequestInit = {}): Promise<Response> =>
  await fetch(service.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    ...how,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...how.headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

const eventsOf = async (token: string, after = 0) =>
  await everyLine(
    await ask(token, '/v1/events?follow=false', undefined, {
      headers: after === 0 ? {} : { 'last-event-id': String(after) },
    }),
  );

beforeAll(async () => {
  home = await makeHome(dockerHost());
  const config = `terminal: {backend: docker, docker_image: "${busybox}", container_disk: null}
approvals: {remote_timeout: 60, rules: {ask: ["terminal(touch:*)"]}}
server: {shutdown_seconds: 2}\n`;
  await writeFile(join(home.path, 'config.yaml'), config, { mode: 0o600 });
  tokens = await Promise.all(['alice', 'bob'].map(create));
  service = await start(home, tokens[0] ?? '');
}, 120_000);
afterAll(async () => {
  for (const token of tokens) await ask(token, '/v1/sandboxes/build', undefined, { method: 'DELETE' });
  await service.stop();
  await home[Symbol.asyncDispose]();
}, 60_000);

it(
  'follows two owners through a crash without loss, doubles, or a view of each other',
  { timeout: 120_000 },
  async () => {
    for (const token of tokens) {
      expect((await ask(token, '/v1/sandboxes', { taskId: 'build' })).status).toBe(200);
      await everyLine(await ask(token, '/v1/sandboxes/build/execs', { command: ['true'], execId: 'exec_1' }));
    }
    const asked = { command: ['touch', '/tmp/x'], execId: 'exec_2', waitForApproval: false };
    const refused = Object(await (await ask(tokens[0] ?? '', '/v1/sandboxes/build/execs', asked)).json());
    const person = await create('alice');
    const at = `/v1/approvals/${String(refused['details']['approvalId'])}`;
    expect((await ask(person, at, { choice: 'once' })).status).toBe(204);
    await expect.poll(async () => (await eventsOf(tokens[1] ?? '')).at(-1)?.['type']).toBe('exec.ended');
    const before = await Promise.all(tokens.map((token) => eventsOf(token)));

    await service.stop('SIGKILL');
    service = await start(home, tokens[0] ?? '');
    for (const token of tokens) {
      await everyLine(await ask(token, '/v1/sandboxes/build/execs', { command: ['true'], execId: 'exec_3' }));
      expect((await ask(token, '/v1/sandboxes/build', undefined, { method: 'DELETE' })).status).toBe(204);
    }
    await expect
      .poll(async () => (await eventsOf(tokens[1] ?? '')).filter(({ type }) => type === 'exec.ended').length)
      .toBe(2);
    for (const [index, token] of tokens.entries()) {
      const known = before[index] ?? [];
      const all = await eventsOf(token);
      const rest = await eventsOf(token, Number(known.at(-1)?.['seq']));
      expect([...known, ...rest]).toEqual(all);
      expect(new Set(all.map(({ seq }) => seq)).size).toBe(all.length);
      expect(new Set(all.map(({ owner }) => owner))).toEqual(new Set([index === 0 ? 'alice' : 'bob']));
      const ended = all.filter(({ type }) => type === 'exec.ended').map(({ data }) => Object(data)['execId']);
      expect(ended).toEqual(['exec_1', 'exec_3']);
      expect(all.some(({ data }) => Object(data)['to'] === 'removed')).toBe(true);
      expect(JSON.stringify(all)).not.toMatch(/(?:alice|bob)\./);
    }
    const types = before[0]?.map(({ type }) => type);
    expect(types?.filter((type) => String(type).startsWith('approval.'))).toEqual([
      'approval.asked',
      'approval.answered',
    ]);
  },
);
