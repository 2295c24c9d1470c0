/** Limits of owners and tokens, over HTTP. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { compiled } from '../compiled.ts';
import type { TokenInput } from '../../src/service/api.ts';
import { openWorld, type World } from './world.ts';
import { launcher as cli } from '../program.ts';

interface Other extends AsyncDisposable {
  readonly url: string;
}

/** A second service on the state directory of the first. */
async function another({ root }: World, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<Other> {
  const child = spawn(cli, ['serve', '--port', '0'], {
    cwd: root,
    env: { ...compiled, PATH: process.env['PATH'], HOME: root, CAISSON_HOME: `${root}/home` },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [url] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error('the service has ended'))),
  ]);
  return {
    url: String(url),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await once(child, 'exit');
    },
  };
}

const tokenOf = async ({ api }: World, input: Partial<TokenInput> = {}): Promise<string> =>
  (await api.tokens.create({ name: 'a', scopes: ['run', 'read'], owner: 'alice', ...input }, 'test')).token;

const post = (url: string, token: string, body: unknown): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const json = async (response: Response): Promise<Readonly<Record<string, unknown>>> => Object(await response.json());
const long = { timeout: 60_000 };
const sleep = { command: ['sleep', '20'] };
const ownerConfig = (limits: string): string =>
  `owners: {alice: {backends: [local], ${limits}}}\nserver: {shutdown_seconds: 0.5}\n`;

it('of 20 simultaneous creates through two services 3 take the 3 places, and the others are 429', long, async () => {
  await using world = await openWorld({ config: ownerConfig('sandboxes: 3') });
  await using other = await another(world);
  const token = await tokenOf(world);
  const create = (n: number): Promise<Response> =>
    post(`${n % 2 === 0 ? world.url : other.url}/v1/sandboxes`, token, { taskId: `t${n}` });
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => create(n)));
  const statuses = answers.map(({ status }) => status);
  expect([statuses.filter((each) => each === 200).length, statuses.filter((each) => each === 429).length]).toEqual([
    3, 17,
  ]);
  for (const answer of answers.filter(({ status }) => status === 429)) {
    expect(answer.headers.get('retry-after')).toBe('30');
    expect(await json(answer)).toMatchObject({ code: 'resource_exhausted', details: { limit: 'sandboxes', most: 3 } });
  }
  expect((await world.api.sandboxes.list()).items).toHaveLength(3);
  // The operator has no limit, and a place that was given back can be taken.
  expect((await world.ask('/v1/sandboxes', { body: { taskId: 'mine' } })).status).toBe(200);
  const taken = statuses.indexOf(200);
  await world.ask(`/v1/sandboxes/t${taken}`, { method: 'DELETE', token });
  expect((await post(`${other.url}/v1/sandboxes`, token, { taskId: 'late' })).status).toBe(200);
});

it('commands beyond the limit execs are 429 in every service, until one has ended', long, async () => {
  await using world = await openWorld({ config: ownerConfig('execs: 2') });
  await using other = await another(world);
  const token = await tokenOf(world);
  await post(`${world.url}/v1/sandboxes`, token, { taskId: 'build' });
  const at = (url: string): string => `${url}/v1/sandboxes/build/execs`;
  const running = await Promise.all([
    post(at(world.url), token, sleep),
    post(at(other.url), token, { ...sleep, execId: 'exec_other' }),
  ]);
  expect(running.map(({ status }) => status)).toEqual([200, 200]);
  const refused = await post(at(other.url), token, { command: ['true'] });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await json(refused)).toMatchObject({ details: { limit: 'execs', most: 2 } });
  const session = await post(`${world.url}/v1/sandboxes/build/sessions/s/execs`, token, { text: 'true' });
  expect(session.status).toBe(429);
  const cancel = { method: 'DELETE', headers: { authorization: `Bearer ${token}` } };
  expect((await fetch(`${at(other.url)}/exec_other`, cancel)).status).toBe(204);
  await expect
    .poll(async () => (await post(at(world.url), token, { command: ['true'] })).status, { timeout: 20_000 })
    .toBe(200);
  for (const { body } of running) await body?.cancel();
});

it('places of a service that was killed are free again', long, async () => {
  await using world = await openWorld({ config: ownerConfig('execs: 1') });
  const token = await tokenOf(world);
  await post(`${world.url}/v1/sandboxes`, token, { taskId: 'build' });
  {
    await using other = await another(world, 'SIGKILL');
    const running = await post(`${other.url}/v1/sandboxes/build/execs`, token, sleep);
    expect(running.status).toBe(200);
    expect((await post(`${world.url}/v1/sandboxes/build/execs`, token, { command: ['true'] })).status).toBe(429);
    void running.body?.cancel();
  }
  expect((await post(`${world.url}/v1/sandboxes/build/execs`, token, { command: ['true'] })).status).toBe(200);
});

const processes = [
  ['exec_long', ['sleep', '60']],
  ['exec_short', ['sh', '-c', 'until [ -e go ]; do sleep 0.1; done']],
] as const;

it(
  'a detached process has a place of execs as long as it lives, also in a service that was started later',
  long,
  async () => {
    await using world = await openWorld({ config: ownerConfig('execs: 2') });
    const token = await tokenOf(world);
    const authorization = `Bearer ${token}`;
    const at = (url: string, verb: string): string => `${url}/v1/sandboxes/build/${verb}`;
    await post(`${world.url}/v1/sandboxes`, token, { taskId: 'build' });
    {
      await using other = await another(world, 'SIGKILL');
      for (const [execId, command] of processes) {
        const start = { command, execId };
        expect((await post(at(other.url, 'processes'), token, start)).status).toBe(201);
        // A repeated request is the same process, and has the same place.
        expect(await json(await post(at(world.url, 'processes'), token, start))).toMatchObject({ id: execId });
      }
    }
    const refused = await post(at(world.url, 'processes'), token, sleep);
    expect([refused.status, await json(refused)]).toMatchObject([429, { details: { limit: 'execs', most: 2 } }]);
    await using anew = await another(world);
    const run = async (): Promise<number> => {
      const response = await post(at(anew.url, 'execs'), token, { command: ['true'] });
      await response.text();
      return response.status;
    };
    expect(await run()).toBe(429);
    const file = { method: 'PUT', headers: { authorization, 'content-type': 'application/octet-stream' }, body: 'x' };
    expect((await fetch(at(anew.url, 'files?path=go'), file)).status).toBe(200);
    await expect.poll(run, { timeout: 20_000 }).toBe(200);
    const third = { ...sleep, execId: 'exec_third' };
    const startThird = async (): Promise<number> => (await post(at(anew.url, 'processes'), token, third)).status;
    await expect.poll(startThird, { timeout: 20_000 }).toBe(201);
    expect(await run()).toBe(429);
    const kill = { method: 'DELETE', headers: { authorization } };
    expect((await fetch(at(anew.url, 'processes/exec_long'), kill)).status).toBe(200);
    expect(await run()).toBe(200);
  },
);

it('a token with limits of its own has fewer requests and commands than its owner', async () => {
  await using world = await openWorld({ config: ownerConfig('sandboxes: 3') });
  const [few, many] = [await tokenOf(world, { limits: { requestsPerMinute: 3, execs: 1 } }), await tokenOf(world)];
  await post(`${world.url}/v1/sandboxes`, few, { taskId: 'build' });
  const at = `${world.url}/v1/sandboxes/build/execs`;
  const running = await post(at, few, sleep);
  expect([running.status, (await post(at, few, sleep)).status]).toEqual([200, 429]);
  const late = await world.ask('/v1/sandboxes', { token: few });
  expect(late.status).toBe(429);
  expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await json(late)).toMatchObject({ details: { limit: 'requests_per_minute', most: 3 } });
  expect((await post(at, many, { command: ['true'] })).status).toBe(200);
  void running.body?.cancel();
});

it('requests of an owner beyond the limit are 429, whichever of its tokens comes', async () => {
  await using world = await openWorld({ config: ownerConfig('requests_per_minute: 2') });
  const tokens = [await tokenOf(world), await tokenOf(world)];
  const statuses: number[] = [];
  for (const token of [...tokens, ...tokens]) statuses.push((await world.ask('/v1/sandboxes', { token })).status);
  expect(statuses).toEqual([200, 200, 429, 429]);
  expect((await world.ask('/v1/sandboxes')).status).toBe(200);
});
