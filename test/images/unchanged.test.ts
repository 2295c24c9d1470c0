/** Building again what the engine has already. */
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildImage } from '../../images/builder/build.ts';
import { recipe } from '../../images/builder/recipes.ts';
import type { Images } from '../../src/backend.ts';

describe('an image that has not changed', () => {
  it('is not loaded again, and is after its packages were fetched anew', async () => {
    const { hash, reference } = await recipe('base');
    const at = await mkdtemp(join(tmpdir(), 'caisson-unchanged-'));
    onTestFinished(() => rm(at, { recursive: true }));
    const tar = join(at, `base-${hash}.tar`);
    await writeFile(tar, 'as built');
    const loaded: { reference: string; id: string; bytes: number; created: string; labels: Record<string, string> }[] =
      [];
    const images: Images = {
      list: () => Promise.resolve(loaded),
      importRootfs: (name, bytes, { labels }) => {
        bytes.destroy();
        loaded[0] = {
          reference: name,
          id: `sha256:${loaded.length}${labels['caisson.recipe.made']}`,
          bytes: 1,
          created: '',
          labels: { ...labels },
        };
        return Promise.resolve(loaded[0]);
      },
    };
    const build = async () => await buildImage('base', { images, env: process.env, directory: at, method: 'packages' });
    const first = await build();
    expect(first).toMatchObject({ reference, id: loaded[0]?.id });
    loaded.push({ reference: 'other:latest', id: 'sha256:other', bytes: 1, created: '', labels: {} });
    expect(await build()).toEqual({ reference, id: first.id });
    expect(loaded).toHaveLength(2);
    await utimes(tar, new Date(), new Date(Date.now() - 60_000));
    expect((await build()).id).not.toBe(first.id);
  });
});
