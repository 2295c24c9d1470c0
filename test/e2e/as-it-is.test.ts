import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeHome, type Home } from './home.ts';

const configure = async (home: Home, terminal: string): Promise<void> =>
  await writeFile(join(home.path, 'config.yaml'), `terminal: {backend: docker, ${terminal}}\n`, { mode: 0o600 });

it('a task that was made with flags is used without them, and keeps them when it is made anew', async () => {
  await using home = await makeHome();
  await configure(home, 'container_disk: null');
  const flags = ['--task', 'lim', '--memory', '64m', '--network', 'none'];
  expect(await home.cli(['run', '-q', ...flags, '--', 'true'])).toMatchObject({ code: 0, stderr: '' });
  expect(await home.cli(['run', '--task', 'lim', '--', 'true'])).toMatchObject({ code: 0, stderr: '' });
  expect(await home.cli(['create', 'lim'])).toMatchObject({ code: 0 });
  const [container = ''] = await home.containers();
  await home.engine(['rm', '-f', container]);
  expect(await home.cli(['run', '-q', '--task', 'lim', '--', 'true'])).toMatchObject({ code: 0 });
  const [again = ''] = await home.containers();
  expect(await home.engine(['inspect', '-f', '{{.HostConfig.Memory}} {{.HostConfig.NetworkMode}}', again])).toBe(
    `${64 * 2 ** 20} none`,
  );
});

it('other flags are a conflict, and a changed file is one that names its key', async () => {
  await using home = await makeHome();
  await configure(home, 'container_disk: null');
  await home.cli(['run', '-q', '--task', 'lim', '--memory', '64m', '--', 'true']);
  const flags = await home.cli(['run', '--task', 'lim', '--memory', '128m', '--', 'true']);
  expect([flags.code, flags.stderr]).toEqual([125, expect.stringContaining('limits.memoryBytes')]);
  await configure(home, 'container_disk: null, container_pids: 99');
  const changed = await home.cli(['run', '--task', 'lim', '--', 'true']);
  expect([changed.code, changed.stderr]).toEqual([
    125,
    expect.stringMatching(
      /limits\.pids \(has 256, asked 99\); since then the configuration has changed terminal\.container_pids/,
    ),
  ]);
});

it('a task on another backend stays there, and is judged by it', async () => {
  await using home = await makeHome();
  await configure(home, 'container_disk: null');
  await home.cli(['run', '-q', '--task', 'here', '--backend', 'local', '--', 'true']);
  expect(await home.cli(['run', '-q', '--task', 'here', '--', 'true'])).toMatchObject({ code: 0 });
  expect(await home.cli(['run', '-q', '--task', 'here', '--', 'rm', '-rf', '/'])).toMatchObject({ code: 126 });
  expect(await home.containers()).toEqual([]);
});

it('sizes of the file that are the default are no demand: what is missing is listed', async () => {
  await using home = await makeHome();
  await configure(home, 'container_cpu: 1, container_memory: 5120, container_disk: 51200');
  expect(await home.cli(['run', '--task', 'seed', '--', 'true'])).toMatchObject({ code: 0, stderr: '' });
  const inspected = await home.cli(['inspect', 'seed', '-o', 'json']);
  expect(inspected.stdout).toMatch(/"degraded":[^]*disk/);
  await configure(home, 'container_disk: 51201');
  expect(await home.cli(['run', '--', 'true'])).toMatchObject({
    code: 125,
    stderr: expect.stringContaining('diskBytes'),
  });
});
