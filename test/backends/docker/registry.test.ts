/** Images from a registry: a real pull by the engine, from one on this host. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Progress } from '../../../src/backend.ts';
import { dockerHost, hostAddress } from '../../engines/docker.ts';
import { archiveOf, testImages } from '../../engines/images.ts';
import { type Registry, startRegistry } from '../../engines/registry.ts';
import { Place, sh } from './place.ts';

const host = dockerHost();
const address = hostAddress();
const name = 'caisson-test/pulled';
/** An engine that was not made for the tests asks no registry that speaks HTTP. */
const reaches = host !== null && address?.startsWith('198.18.') === true;

describe.skipIf(!reaches)('images from a registry', () => {
  const place = new Place(host ?? '');
  let registry: Registry;
  beforeAll(async () => {
    const [image] = testImages.filter(({ reference }) => reference === 'caisson-test/busybox:latest');
    if (image === undefined || address === null) throw new Error('there is no image to offer');
    registry = await startRegistry({ name, layer: archiveOf(image), host: address });
  });
  afterAll(async () => {
    await place.close();
    for (const { Id, RepoTags } of await place.engine.listImages())
      if (RepoTags?.some((tag) => tag.startsWith(registry.address)))
        await place.engine.getImage(Id).remove({ force: true });
    await registry.close();
  });

  const blobs = (): number => registry.asked.filter((each) => each.includes('/blobs/')).length;
  const sandboxes = async (): Promise<number> => (await place.backend.list({ instance: place.instance })).length;

  test('are pulled once, reported as they come, named by a digest, and run with the variables of the image', async () => {
    const reported: Progress[] = [];
    const image = `${registry.address}/${name}:latest`;
    const onProgress = (progress: Progress): void => void reported.push(progress);
    const sandbox = await place.create({ image }, place.options({ onProgress }));
    expect((await sh(sandbox, 'echo "$OF_IMAGE"')).stdout).toBe('pulled\n');
    expect(reported.length).toBeGreaterThan(1);
    expect(reported.every(({ what }) => what.startsWith(image))).toBe(true);
    const pulled = blobs();
    expect(pulled).toBeGreaterThan(0);
    const second = await place.create({ image: `${registry.address}/${name}@${registry.digest}` });
    expect(second.place.imageDigest).toBe(sandbox.place.imageDigest);
    expect(blobs()).toBe(pulled);
  });

  test.each([
    ['that it does not have', () => `${registry.address}/${name}:missing`],
    ['of a registry that is not there', () => `${address}:1/${name}:latest`],
  ])('%s are refused as not found, and nothing is left of the try', async (_what, image) => {
    const before = await sandboxes();
    await expect(place.create({ image: image() })).rejects.toMatchObject({ code: 'not_found' });
    expect(await sandboxes()).toBe(before);
  });

  test('are given up when no caller waits for them any more, and nothing is left of the try', async () => {
    const before = await sandboxes();
    const giveUp = new AbortController();
    const making = place.create(
      { image: `${registry.address}/${name}:stalled` },
      place.options({ signal: giveUp.signal }),
    );
    await expect.poll(() => registry.asked.some((each) => each.endsWith('/stalled'))).toBe(true);
    giveUp.abort();
    await expect(making).rejects.toMatchObject({ code: 'canceled' });
    expect(await sandboxes()).toBe(before);
  });
});
