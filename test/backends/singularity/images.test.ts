import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open } from '../../../backends/singularity/backend.ts';
import { makeDockerArchive } from '../../engines/docker-archive.ts';
import { hasApptainer } from '../../engines/apptainer.ts';
import { sh } from '../../conformance/command.ts';
import type { Progress } from '../../../src/backend.ts';
import { createOptions, instance, TestPlace } from './place.ts';

describe.skipIf(!hasApptainer())('images of Apptainer', () => {
  let place: TestPlace;
  let cache: string;
  beforeAll(async () => {
    place = await TestPlace.open();
    cache = await place.cache();
  });
  afterAll(() => place.close());

  const inCache = (folder: string): readonly string[] =>
    readdirSync(join(cache, folder)).filter((name) => !name.endsWith('.lock'));

  it('are built once, also for several that want one at once, and tell how it goes', async () => {
    const other = open({ env: place.apptainer.env, instance, settings: place.apptainer.settings });
    const reported: Progress[] = [];
    const onProgress = (progress: Progress): void => void reported.push(progress);
    const made = await Promise.all(
      [place.backend, place.backend, other].map((backend) =>
        backend.create(place.spec(), { ...createOptions(), onProgress }),
      ),
    );
    expect(reported.filter(({ what }) => what.startsWith('building'))).toHaveLength(1);
    expect(reported.filter(({ what }) => what.startsWith('unpacking'))).toHaveLength(1);
    const digests = new Set(made.map((sandbox) => sandbox.place.imageDigest));
    expect([...digests]).toEqual([`sha256:${inCache('root')[0]}`]);
    expect(inCache('sif')).toHaveLength(1);
    await Promise.all(made.map((sandbox) => sandbox.destroy()));
    await other.close();
  });

  it('may be a file in the format of Apptainer, whose hash is the digest', async () => {
    const file = join(cache, 'sif', inCache('sif')[0] ?? '');
    const hash = String(execFileSync('sha256sum', [file])).split(' ')[0];
    const sandbox = await place.create({ image: file });
    expect(sandbox.place.imageDigest).toBe(`sha256:${hash}`);
    expect((await sh(sandbox, 'echo runs')).stdout.toString()).toBe('runs\n');
    await sandbox.destroy();
  });

  it('may be a directory that Apptainer made, which is used as it is and stays so', async () => {
    const root = join(cache, 'root', inCache('root')[0] ?? '');
    const sandbox = await place.create({ image: root });
    expect(sandbox.place.imageDigest).toBeNull();
    expect((await sh(sandbox, 'echo x >/bin/new && rm /bin/sh && ls /bin/new')).exitCode).toBe(0);
    expect(existsSync(join(root, 'bin/new'))).toBe(false);
    await sandbox.destroy();
    expect((await sh(await place.create({ image: root }), 'echo sound')).stdout.toString()).toBe('sound\n');
  });

  it('set variables of their own, which a command may replace', async () => {
    const archive = join(place.apptainer.directory, 'with-variable.tar');
    await makeDockerArchive(place.apptainer.layer, archive, { Env: ['PATH=/bin:/usr/bin', 'OF_IMAGE=a b $(id)'] });
    const sandbox = await place.create({ image: `docker-archive:${archive}` });
    expect((await sh(sandbox, 'echo "$OF_IMAGE"')).stdout.toString()).toContain('a b');
    expect((await sh(sandbox, 'echo "$OF_IMAGE"', { env: { OF_IMAGE: '$(id)' } })).stdout.toString()).toBe('$(id)\n');
  });

  it.each([
    ['that is not there', 'not_found', (at: string) => join(at, 'none.sif')],
    ['that is a plain directory', 'failed_precondition', plainDirectory],
    ['that is no image', 'unavailable', noImage],
    ['of a name that cannot be written', 'invalid_argument', withColon],
  ] as const)('%s are refused as %s, and nothing is left of the try', async (_what, code, make) => {
    const image = make(place.apptainer.directory);
    const before = [inCache('sif'), inCache('root'), await place.backend.list({ instance })];
    await expect(place.create({ image })).rejects.toMatchObject({ code });
    expect([inCache('sif'), inCache('root'), await place.backend.list({ instance })]).toEqual(before);
  });

  it('are kept where no other user writes', () => {
    for (const directory of [place.apptainer.settings.cache_dir, cache])
      expect(statSync(directory).mode & 0o022).toBe(0);
    for (const folder of ['sif', 'root']) expect(statSync(join(cache, folder)).mode & 0o077).toBe(0);
  });
});

function plainDirectory(at: string): string {
  const directory = join(at, 'plain');
  mkdirSync(join(directory, 'bin'), { recursive: true });
  return directory;
}

function noImage(at: string): string {
  const file = join(at, 'text.sif');
  writeFileSync(file, 'no image');
  return file;
}

function withColon(at: string): string {
  const file = join(at, 'a:b.sif');
  writeFileSync(file, 'no image');
  return file;
}
