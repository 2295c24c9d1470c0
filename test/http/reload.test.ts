/** Reading the configuration again while the service runs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { compiled } from '../compiled.ts';
import { openWorld, type World } from './world.ts';
import { launcher as cli } from '../program.ts';

function write({ root }: World, config: string): void {
  writeFileSync(join(root, 'home', 'config.yaml'), `terminal: {backend: local}\n${config}`, { mode: 0o600 });
}

const reload = async ({ ask }: World): Promise<readonly [status: number, body: Readonly<Record<string, unknown>>]> => {
  const response = await ask('/v1/config/reload', { method: 'POST' });
  return [response.status, Object(await response.json())];
};

const ran = async ({ ask }: World, command: readonly string[]): Promise<number> => {
  const response = await ask('/v1/sandboxes/build/execs', {
    body: { command },
    headers: { accept: 'application/json' },
  });
  await response.text();
  return response.status;
};

it('rules and limits of the changed file hold at once, and a new address needs a restart', async () => {
  await using world = await openWorld();
  await world.ask('/v1/sandboxes', { body: { taskId: 'build' } });
  expect(await ran(world, ['make', '--version'])).toBe(200);
  write(
    world,
    'approvals: {rules: {deny: ["terminal(make:*)"]}}\nserver: {port: 7999}\nowners: {operator: {sandboxes: 1}}\n',
  );
  expect(await ran(world, ['make', '--version'])).toBe(403);
  const pending = async () => Object(await (await world.ask('/v1/config/pending')).json());
  expect(await pending()).toMatchObject({
    holds: ['approvals.rules.deny: terminal(make:*)'],
    loosens: [],
    reload: expect.arrayContaining(['owners']),
    restart: ['server.port'],
  });
  expect(await reload(world)).toEqual([200, { changed: ['approvals.rules', 'owners'], needsRestart: ['server.port'] }]);
  expect(await ran(world, ['make', '--version'])).toBe(403);
  expect((await world.ask('/v1/sandboxes', { body: { taskId: 'more' } })).status).toBe(429);
  const shown = Object(await (await world.ask('/v1/config')).json());
  expect(shown.items).toContainEqual(expect.objectContaining({ key: 'owners', value: { operator: { sandboxes: 1 } } }));
  write(world, '');
  expect(await ran(world, ['make', '--version'])).toBe(403);
  expect(await pending()).toMatchObject({ loosens: ['approvals.rules.deny: without terminal(make:*)'] });
  expect((await reload(world))[1]).toMatchObject({ changed: ['approvals.rules', 'owners'], needsRestart: [] });
  expect(await ran(world, ['make', '--version'])).toBe(200);
});

it.each([
  ['a key that is unknown', 'approvals: {rulez: {}}\n', /config\.yaml:2/],
  ['a rule that does not parse', 'approvals: {rules: {deny: ["terminal(make; ls)"]}}\n', /config\.yaml:2/],
  [
    'a rule of an owner that does not parse',
    'owners: {alice: {rules: {deny: ["terminal(a; b)"]}}}\n',
    /owners\.alice\.rules\.deny\[0\]/,
  ],
])('%s changes nothing, and the answer says where it stands', async (_what, config, place) => {
  await using world = await openWorld({ config: 'approvals: {rules: {deny: ["terminal(make:*)"]}}\n' });
  await world.ask('/v1/sandboxes', { body: { taskId: 'build' } });
  write(world, config);
  const [status, { detail }] = await reload(world);
  expect([status, detail]).toEqual([422, expect.stringMatching(place)]);
  expect(await ran(world, ['make', '--version'])).toBe(403);
});

it('a token without admin, and one of another owner, may not do it', async () => {
  await using world = await openWorld();
  const { token } = await world.api.tokens.create({ name: 'a', scopes: ['run', 'read'], owner: 'alice' }, 'test');
  expect((await world.ask('/v1/config/reload', { method: 'POST', token })).status).toBe(403);
  expect((await world.ask('/v1/config/pending', { token })).status).toBe(403);
});

it('caisson serve reads its file again at SIGHUP, and goes on', { timeout: 60_000 }, async () => {
  await using world = await openWorld();
  const child = spawn(cli, ['serve', '--port', '0'], {
    cwd: world.root,
    env: { ...compiled, PATH: process.env['PATH'], HOME: world.root, CAISSON_HOME: `${world.root}/home` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    const said: string[] = [];
    createInterface(child.stderr).on('line', (line) => said.push(line));
    const [url] = await once(createInterface(child.stdout), 'line');
    const status = async (): Promise<number> =>
      (await fetch(`${url}/v1/sandboxes`, { headers: { authorization: `Bearer ${world.agent}` } })).status;
    write(world, 'approvals: {rulez: {}}\n');
    child.kill('SIGHUP');
    await expect.poll(() => said.join('\n'), { timeout: 20_000 }).toMatch(/nothing has changed: .*config\.yaml:2/);
    write(world, 'owners: {operator: {requests_per_minute: 1}}\n');
    child.kill('SIGHUP');
    await expect.poll(() => said.join('\n'), { timeout: 20_000 }).toMatch(/read again: owners/);
    expect([await status(), await status()]).toEqual([200, 429]);
  } finally {
    child.kill('SIGKILL');
  }
});

it('what was set and what was read again is in the audit, with who and which keys, and without values', async () => {
  await using world = await openWorld();
  const { token, id } = await world.api.tokens.create({ name: 'ops', scopes: ['admin', 'read'] }, 'test');
  const set = async (key: string, text: string): Promise<number> =>
    (await world.ask('/v1/config', { method: 'PUT', token, body: { key, text } })).status;
  expect(await set('owners.zebra.sandboxes', '4217')).toBe(204);
  expect(await set('server.port', '7999')).toBe(204);
  expect(await set('owners.zebra.sandboxes', 'not-a-number')).toBe(422);
  expect((await world.ask('/v1/config/reload', { method: 'POST', token })).status).toBe(200);
  await world.api.config.reload();
  const records = await Array.fromAsync(world.api.audit.tail({ count: 100, follow: false }));
  const changes = records.filter(({ type }) => type === 'config');
  const ops = { owner: 'operator', token: id };
  expect(changes).toMatchObject([
    { what: 'set', keys: ['owners.zebra.sandboxes'], ...ops },
    { what: 'set', keys: ['server.port'], ...ops },
    { what: 'reload', keys: ['owners'], needsRestart: ['server.port'], ...ops },
    { what: 'reload', keys: [], needsRestart: ['server.port'], owner: 'operator' },
  ]);
  expect(changes[3]).not.toHaveProperty('token');
  expect(JSON.stringify(changes)).not.toMatch(/4217|7999|not-a-number/);
});
