/** Images from a registry: a real pull by Apptainer, from one on loopback. */
import { chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Progress } from '../../../src/backend.ts';
import { sh } from '../../conformance/command.ts';
import { hasApptainer } from '../../engines/apptainer.ts';
import { type Registry, startRegistry } from '../../engines/registry.ts';
import { createOptions, instance, TestPlace } from './place.ts';

const name = 'caisson-test/pulled';

describe.skipIf(!hasApptainer())('images from a registry', () => {
  let place: TestPlace;
  let registry: Registry;
  let cache: string;
  beforeAll(async () => {
    place = await TestPlace.open();
    registry = await startRegistry({ name, layer: place.apptainer.layer, host: '127.0.0.1' });
    await (await place.create()).destroy(); // makes the cache
    cache = await place.cache();
    allowHttp(cache, registry.address);
  });
  afterAll(async () => {
    await place.close();
    await registry.close();
  });

  const inCache = (folder: string): readonly string[] =>
    readdirSync(join(cache, folder)).filter((each) => !each.endsWith('.lock'));
  const blobs = (): number => registry.asked.filter((each) => each.includes('/blobs/')).length;

  it('are pulled once, reported as they come, named by a digest, and run with the variables of the image', async () => {
    const reported: Progress[] = [];
    const onProgress = (progress: Progress): void => void reported.push(progress);
    const image = `docker://${registry.address}/${name}:latest`;
    const sandbox = await place.create({ image }, { ...createOptions(), onProgress });
    expect((await sh(sandbox, 'echo "$OF_IMAGE"')).stdout.toString()).toBe('pulled\n');
    expect(inCache('root').map((hash) => `sha256:${hash}`)).toContain(sandbox.place.imageDigest);
    expect(reported.some(({ what }) => what.includes(image))).toBe(true);
    const pulled = blobs();
    expect(pulled).toBeGreaterThan(0);
    // The scheme may be left out, and what is there is not asked for again.
    const second = await place.create({ image: `${registry.address}/${name}:latest` });
    expect(second.place.imageDigest).toBe(sandbox.place.imageDigest);
    expect(blobs()).toBe(pulled);
  });

  it('are given up when no caller waits for them any more, and nothing is left of the try', async () => {
    const asked = registry.asked.length;
    const before = [inCache('sif'), inCache('root'), await place.backend.list({ instance })];
    const giveUp = new AbortController();
    const image = `docker://${registry.address}/${name}:stalled`;
    const making = place.create({ image }, { ...createOptions(), signal: giveUp.signal });
    await expect.poll(() => registry.asked.slice(asked).some((each) => each.endsWith('/stalled'))).toBe(true);
    giveUp.abort();
    await expect(making).rejects.toMatchObject({ code: 'canceled' });
    expect([inCache('sif'), inCache('root'), await place.backend.list({ instance })]).toEqual(before);
  });

  it.each([
    ['that it does not have', () => `docker://${registry.address}/${name}:missing`],
    ['of a registry that is not there', () => `docker://127.0.0.1:1/${name}:latest`],
  ])('%s are refused as unavailable, and nothing is left of the try', async (_what, image) => {
    const before = [inCache('sif'), inCache('root'), await place.backend.list({ instance })];
    await expect(place.create({ image: image() })).rejects.toMatchObject({ code: 'unavailable' });
    expect([inCache('sif'), inCache('root'), await place.backend.list({ instance })]).toEqual(before);
  });
});

/** Allows HTTP in the configuration of the user who runs containers, like an operator (containers-registries.conf(5)). */
function allowHttp(cache: string, address: string): void {
  const { uid, gid } = statSync(join(cache, 'tmp'));
  let directory = join(cache, 'tmp');
  for (const part of ['.config', 'containers']) {
    directory = join(directory, part);
    mkdirSync(directory, { mode: 0o700 });
    chownSync(directory, uid, gid);
  }
  const file = join(directory, 'registries.conf');
  writeFileSync(file, `[[registry]]\nlocation = "${address}"\ninsecure = true\n`);
  chownSync(file, uid, gid);
}
