import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Caisson } from '../../src/service/caisson.ts';
import { type Home, makeHome } from './home.ts';
import { openPlaces } from './places.ts';

const places = await openPlaces();
afterAll(() => places.stop());

const task = 'demo';

/** A directory on this host, apart from the state directory, and one in the sandbox. */
async function open(home: Home, user: Home, backend: string) {
  const caisson = await places.open(home, backend);
  const host = join(user.path, 'project');
  await mkdir(join(host, 'src'), { recursive: true });
  const { stdout } = await caisson.run({ taskId: task, command: ['sh', '-c', 'mktemp -d /tmp/sync-XXXXXX'] });
  return { caisson, host, inside: `${stdout.text.trim()}/there` };
}

async function shell(caisson: Caisson, text: string): Promise<string> {
  return (await caisson.run({ taskId: task, command: ['sh', '-c', text] })).stdout.text;
}

describe.each(places.backends)('a sync on %s', (backend) => {
  it('of 5,000 files sends the one that has changed, and says so', { timeout: 120_000 }, async () => {
    await using home = await makeHome();
    await using user = await makeHome();
    const { caisson, host, inside } = await open(home, user, backend);
    for (let at = 0; at < 5000; at += 1) await writeFile(join(host, 'src', `file-${at}`), `content ${at}\n`);
    const way = { task, host, inside, direction: 'in' } as const;
    expect(await caisson.files.sync(way)).toMatchObject({ files: 5000, unchanged: 0, removed: 0, conflicts: [] });
    expect(await caisson.files.sync(way)).toEqual({ files: 0, bytes: 0, unchanged: 5000, removed: 0, conflicts: [] });
    await writeFile(join(host, 'src', 'file-7'), 'changed');
    expect(await caisson.files.sync(way)).toEqual({ files: 1, bytes: 7, unchanged: 4999, removed: 0, conflicts: [] });
    expect(await shell(caisson, `cat ${inside}/src/file-7; ls ${inside}/src | wc -l`)).toMatch(/^changed\s*5000\n$/);
    await caisson.close();
  });

  it('keeps what was changed inside, removes what is gone here, and goes on from another process', async () => {
    await using home = await makeHome();
    await using user = await makeHome();
    const { caisson, host, inside } = await open(home, user, backend);
    const way = { task, host, inside, direction: 'in' } as const;
    for (const name of ['a', 'b', 'src/c d', "src/'"]) await writeFile(join(host, name), `first ${name}`);
    await symlink('/etc/passwd', join(host, 'outside'));
    expect(await caisson.files.sync(way)).toMatchObject({ files: 4 });
    await caisson.close();
    const again = await places.open(home, backend);
    await shell(again, `echo inside >${inside}/a; echo own >${inside}/own; rm "${inside}/src/c d"`);
    await writeFile(join(host, 'next'), 'second a');
    await rename(join(host, 'next'), join(host, 'a'));
    await rm(join(host, 'b'));
    const result = await again.files.sync(way);
    expect(result).toMatchObject({ files: 1, removed: 1, unchanged: 1 });
    expect(result.conflicts.map(({ path }) => path)).toEqual(['a']);
    expect((await shell(again, `cd ${inside} && cat a && find . -type f | sort`)).split('\n').filter(Boolean)).toEqual([
      ...['inside', './a', './own', "./src/'", './src/c d'],
    ]);
    expect(await again.files.sync({ ...way, overwrite: true })).toMatchObject({ files: 1, conflicts: [] });
    expect(await shell(again, `cat ${inside}/a`)).toBe('second a');
    await again.close();
  });

  it('out of the sandbox brings what has changed there, and overwrites nothing that has changed here', async () => {
    await using home = await makeHome();
    await using user = await makeHome();
    const { caisson, host, inside } = await open(home, user, backend);
    for (const name of ['a', 'b', 'c']) await writeFile(join(host, name), `first ${name}`);
    await caisson.files.sync({ task, host, inside, direction: 'in' });
    await shell(caisson, `cd ${inside} && echo there >a && echo there >b && rm c && mkdir -p new && echo new >new/d`);
    await writeFile(join(host, 'b'), 'mine');
    const way = { task, host, inside, direction: 'out' } as const;
    const result = await caisson.files.sync(way);
    expect(result).toMatchObject({ files: 2, bytes: 10, removed: 0 });
    expect(result.conflicts.map(({ path }) => path)).toEqual(['b', 'c']);
    const names = (await readdir(host, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const texts = await Promise.all(
      names.map(async ({ parentPath, name }) => `${name}: ${await readFile(join(parentPath, name), 'utf8')}`),
    );
    expect(texts.toSorted()).toEqual(['a: there\n', 'b: mine', 'c: first c', 'd: new\n']);
    await expect(caisson.files.sync({ ...way, host: join(host, 'nowhere') })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(caisson.files.sync({ ...way, host: home.path })).rejects.toMatchObject({ code: 'policy_denied' });
    await caisson.close();
  });
});
