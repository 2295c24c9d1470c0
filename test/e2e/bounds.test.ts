/** Labels, times, limits and bound tokens on docker: as the service and the command line have them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { busybox, makeHome } from './home.ts';
import { start } from './http-service.ts';

const jsonOf = async (response: Response) => Object(await response.json());

it('an agent with a bound token has what its team has, from its images, and a page of limits', async () => {
  await using home = await makeHome();
  const terminal = `terminal: {backend: docker, docker_image: "debian:12", container_disk: null, container_memory: 64, lifetime_seconds: 600}`;
  await writeFile(join(home.path, 'config.yaml'), `${terminal}\napprovals: {mode: "off"}\n`, { mode: 0o600 });
  const bounds = ['--label', 'team=a', '--image', busybox, '--backend', 'docker', '--owner', 'alice'];
  const made = await home.cli(['token', 'create', 'agent', ...bounds]);
  expect(made.code).toBe(0);
  expect((await home.cli(['token', 'ls'])).stdout).toMatch(/team=a .*docker/);
  const service = await start(home, made.stdout.trim());
  try {
    const create = async (body: object) => await service.ask('/v1/sandboxes', { body: { taskId: 'build', ...body } });
    expect((await create({ image: 'debian:12' })).status).toBe(403);
    expect((await create({ backend: 'local' })).status).toBe(403);
    expect((await create({ idleTimeoutMs: 601_000 })).status).toBe(403);
    const acquired = await jsonOf(await create({ idleTimeoutMs: 60_000, lifetimeMs: 3_600_000 }));
    expect(acquired).toMatchObject({
      how: 'created',
      sandbox: { spec: { image: busybox }, labels: { team: 'a' }, idleTimeoutMs: 60_000, lifetimeMs: 3_600_000 },
    });
    const inspected = await jsonOf(await service.ask('/v1/sandboxes/build'));
    expect(inspected.endsBy).toMatchObject([
      { by: 'idle', does: 'stop' },
      { by: 'lifetime', does: 'remove' },
    ]);
    const page = await service.ask('/v1/sandboxes/build/limits', { accept: 'text/markdown' });
    expect(await page.text()).toContain('- Memory and swap together: 64 MiB (measured inside)');
    const ran = await service.ask('/v1/sandboxes/build/execs', {
      body: { command: ['true'] },
      accept: 'application/json',
    });
    expect(await ran.json()).toMatchObject({ exit: { exitCode: 0 } });
  } finally {
    await service.stop();
  }
}, 120_000);

it('a sandbox ends by the times that its own request has set, and lists find it by its labels', async () => {
  await using home = await makeHome();
  await writeFile(
    join(home.path, 'config.yaml'),
    `terminal: {backend: docker, docker_image: "${busybox}", container_disk: null, lifetime_seconds: 0}\n`,
    { mode: 0o600 },
  );
  const create = async (task: string, ...more: readonly string[]) => {
    const { code, stderr } = await home.cli(['create', task, ...more]);
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
  };
  await create('stays', '--label', 'team=a');
  await create('idles', '--label', 'team=b', '--idle', '1s');
  await create('ages', '--label', 'team=b', '--lifetime', '1h');
  const named = async (...args: readonly string[]) =>
    (await home.cli(['ls', '-q', ...args])).stdout.split('\n').filter(Boolean);
  expect(await named('--label', 'team=b')).toEqual(['idles', 'ages']);
  expect((await home.cli(['inspect', 'ages'])).stdout).toMatch(/labels +team=b\nends +removed by age at /);
  expect((await home.cli(['inspect', 'stays', '--limits'])).stdout).toMatch(/^# Limits of the sandbox of stays/);
  await home.cli(['update', 'ages', '--lifetime', '1s', '--label', 'stage=old', '--remove-label', 'team']);
  expect(await named('--label', 'stage=old')).toEqual(['ages']);
  await sleep(2_500);
  expect((await home.cli(['gc'])).code).toBe(0);
  const left = JSON.parse((await home.cli(['ls', '-o', 'json'])).stdout);
  expect(left).toMatchObject([
    { taskId: 'stays', state: 'ready' },
    { taskId: 'idles', state: 'stopped' },
  ]);
}, 120_000);
