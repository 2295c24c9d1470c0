import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { baseImage, holdBaseImage } from './base-image.ts';
import { busybox, cli, makeHome } from './home.ts';

it('the image that Caisson builds is used where none is configured, and a sandbox keeps the one it has', async () => {
  await using home = await makeHome();
  const unset = { CAISSON_TERMINAL_DOCKER_IMAGE: '' };
  {
    await using _held = await holdBaseImage(busybox);
    const first = await home.cli(['run', '-q', '--task', 'first', '--', 'echo', 'ready'], '', unset);
    expect(first).toMatchObject({ code: 0, stdout: 'ready\n' });
    expect((await home.cli(['ls', '-o', 'json'], '', unset)).stdout).toContain(`"image":"${baseImage}"`);
  }
  // Nothing is configured yet, so that another choice now makes no conflict.
  expect(await home.cli(['run', '-q', '--task', 'first', '--', 'true'], '', unset)).toMatchObject({ code: 0 });
}, 600_000);

it('an image that is not there is an error that names a near one', async () => {
  await using home = await makeHome();
  const wrong = await home.cli(['run', '--image', 'caisson-test/busbox:latest', '--', 'true']);
  expect(wrong).toMatchObject({
    code: 125,
    stderr: expect.stringContaining(`did you mean ${busybox}, which is on the engine`),
  });
}, 120_000);

it('names of tasks are suggested, lists are filtered, and what is stopped is removed', async () => {
  await using home = await makeHome();
  for (const task of ['perf', 'other']) await home.cli(['run', '-q', '--task', task, '--', 'true']);
  expect(await home.cli(['exec', 'prf', '--', 'true'])).toMatchObject({
    code: 125,
    stderr: expect.stringContaining('did you mean perf?'),
  });
  await home.cli(['stop', 'other']);
  const listed = async (...filters: readonly string[]): Promise<string> =>
    (await home.cli(['ls', '-q', ...filters.flatMap((filter) => ['--filter', filter])])).stdout;
  expect(await listed('state=stopped')).toBe('other\n');
  expect(await listed('task=pe', 'backend=docker', `image=${busybox}`)).toBe('perf\n');
  expect(await listed('task=pe', 'state=stopped')).toBe('');
  expect(await home.cli(['ls', '--filter', 'stat=ready'])).toMatchObject({ code: 2 });
  expect(await home.cli(['rm', '--stopped'])).toMatchObject({ code: 0, stdout: 'other\n' });
  expect(await listed()).toBe('perf\n');
});

it('gc goes on until it is interrupted', async () => {
  await using home = await makeHome();
  expect(await home.cli(['gc'])).toMatchObject({ code: 0, stderr: 'caisson: nothing to remove\n' });
  const child = spawn(process.execPath, [cli, 'gc', '--every', '200ms'], {
    env: home.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (said.split('nothing to remove').length > 3) child.kill('SIGINT');
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code).toBe(130);
});
