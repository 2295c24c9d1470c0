import { readdir, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { instanceOf, makeHome } from './home.ts';

describe('a persistent task', () => {
  it('finds its files in the next run, and after somebody removed the container', async () => {
    await using home = await makeHome();
    expect(
      (await home.cli(['run', '--task', 'demo', '--', 'sh', '-c', 'echo kept >/workspace/f; echo home >/root/g'])).code,
    ).toBe(0);
    expect((await home.cli(['run', '--task', 'demo', '--', 'cat', '/workspace/f', '/root/g'])).stdout).toBe(
      'kept\nhome\n',
    );
    const [first] = await home.containers();
    await home.engine(['rm', '-f', String(first)]);
    const again = await home.cli(['run', '--task', 'demo', '-o', 'json', '--', 'cat', '/workspace/f']);
    expect(JSON.parse(again.stdout)).toMatchObject({ stdout: { text: 'kept\n' }, where: { recreated: true } });
    expect(await home.containers()).toHaveLength(1);
  });

  it('keeps its directory private and keyed by sandbox id, with the task pointing to it', async () => {
    await using home = await makeHome();
    const caisson = await home.open();
    const { sandbox } = await caisson.sandboxes.create({ taskId: 'demo' });
    expect(sandbox.directory).toBe(join(home.path, 'sandboxes/docker', sandbox.id));
    expect((await stat(String(sandbox.directory))).mode & 0o777).toBe(0o700);
    expect(await readlink(join(home.path, 'sandboxes/docker/tasks/demo'))).toContain(sandbox.id);
    await caisson.sandboxes.remove('demo');
    expect(await readdir(join(home.path, 'sandboxes/docker'))).toEqual(['tasks']);
    expect(await readdir(join(home.path, 'sandboxes/docker/tasks'))).toEqual([]);
  });

  it('keeps files over stop and start, over removal with keepFiles, and over a changed spec with recreate', async () => {
    await using home = await makeHome();
    const caisson = await home.open();
    await caisson.run({ taskId: 'demo', command: ['sh', '-c', 'echo kept >/workspace/f'] });
    await caisson.sandboxes.stop('demo');
    const started = await caisson.run({ taskId: 'demo', command: ['cat', '/workspace/f'] });
    expect(started.stdout.text).toBe('kept\n');
    await expect(caisson.run({ taskId: 'demo', limits: { pids: 99 }, command: ['true'] })).rejects.toMatchObject({
      code: 'conflict',
      details: { differing: ['limits.pids'] },
    });
    const recreated = await caisson.run({
      taskId: 'demo',
      limits: { pids: 99 },
      recreate: true,
      command: ['cat', '/workspace/f'],
    });
    expect(recreated.stdout.text).toBe('kept\n');
    await caisson.sandboxes.remove('demo', { keepFiles: true });
    expect((await caisson.run({ taskId: 'demo', command: ['cat', '/workspace/f'] })).stdout.text).toBe('kept\n');
    await caisson.sandboxes.remove('demo', { keepFiles: true });
    await caisson.sandboxes.remove('demo');
    expect((await caisson.run({ taskId: 'demo', command: ['ls', '/workspace'] })).stdout.text).toBe('');
  });

  it('starts a command where it asks to be, and the next one where the sandbox does', async () => {
    await using home = await makeHome();
    const caisson = await home.open();
    const pwd = async (cwd: string | undefined): Promise<string> =>
      (await caisson.run({ taskId: 'demo', command: ['pwd'], ...(cwd === undefined ? {} : { cwd }) })).stdout.text;
    expect([await pwd('/tmp'), await pwd(undefined), await pwd('/')]).toEqual(['/tmp\n', '/workspace\n', '/\n']);
  });

  it('is one sandbox when several processes ask for it at once', async () => {
    await using home = await makeHome();
    const runs = await Promise.all(
      Array.from({ length: 4 }, () => home.cli(['run', '--task', 'demo', '-o', 'json', '--', 'hostname'])),
    );
    expect(runs.map((each) => each.code)).toEqual([0, 0, 0, 0]);
    expect(new Set(runs.map((each) => JSON.parse(each.stdout).where.sandboxId)).size).toBe(1);
    expect(await home.containers()).toHaveLength(1);
  });

  it('comes back after its container was stopped behind our back', async () => {
    await using home = await makeHome();
    const caisson = await home.open();
    await caisson.run({ taskId: 'demo', command: ['true'] });
    await home.engine(['kill', String((await home.containers())[0])]);
    expect((await caisson.run({ taskId: 'demo', command: ['echo', 'back'] })).stdout.text).toBe('back\n');
  });
});

describe('an ephemeral run', () => {
  it('leaves no container, volume, network, directory or row', async () => {
    await using home = await makeHome();
    const before = await Promise.all([home.engine(['volume', 'ls', '-q']), home.engine(['network', 'ls', '-q'])]);
    expect((await home.cli(['run', '--', 'sh', '-c', 'echo x >/workspace/f; exit 3'])).code).toBe(3);
    // The engine completes the removal, and the next process sees to the rest.
    await vi.waitFor(async () => expect(await home.containers()).toEqual([]), { timeout: 20_000 });
    await home.cli(['gc']);
    const instance = (await instanceOf(home.path)).slice(0, 8);
    expect(await home.engine(['network', 'ls', '--filter', `name=${instance}`, '-q'])).toBe('');
    expect((await home.engine(['volume', 'ls', '-q'])).split('\n').filter((name) => !before[0].includes(name))).toEqual(
      [],
    );
    expect(await readdir(join(home.path, 'sandboxes')).catch(() => [])).toEqual([]);
    expect(JSON.parse((await home.cli(['ls', '-o', 'json'])).stdout)).toEqual([]);
  });
});
