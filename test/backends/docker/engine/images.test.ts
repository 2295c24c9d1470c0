/** Images that are made, and made again, on a real engine. */
import { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import { describe, expect, test } from 'vitest';
import { dockerHost } from '../../../engines/docker.ts';
import { Place } from '../place.ts';

const host = dockerHost();
const nowhere = 'unix:///nowhere/docker.sock';

describe.skipIf(host === null)('the images of an engine', () => {
  test('can be made from a root file system, with the environment and labels that were given', async () => {
    const place = new Place(host ?? nowhere);
    const reference = `caisson-test/made:${place.instance}`;
    const tar = pack();
    tar.entry({ name: 'marker' }, 'made');
    tar.finalize();
    const value = 'a "quoted" $HOME \\ value';
    try {
      const { id } = (await place.backend.images?.importRootfs(reference, Readable.from(tar), {
        env: { GREETING: value },
        labels: { 'caisson.test': value },
      })) ?? { id: '' };
      expect(await place.backend.images?.list()).toContainEqual(expect.objectContaining({ reference, id }));
      const { Config } = await place.engine.getImage(reference).inspect();
      expect([Config.Env, Config.Labels]).toEqual([[`GREETING=${value}`], { 'caisson.test': value }]);
    } finally {
      await place.engine
        .getImage(reference)
        .remove({ force: true })
        .catch(() => {});
      await place.close();
    }
  });
});

describe.skipIf(host === null)('an image that is made again', () => {
  test('takes the place of the one before, which is removed unless it is used or has another name', async () => {
    const place = new Place(host ?? nowhere);
    const reference = `caisson-test/again:${place.instance}`;
    const other = `caisson-test/other:${place.instance}`;
    const make = async (content: string): Promise<string> => {
      const tar = pack();
      tar.entry({ name: 'marker' }, content);
      tar.finalize();
      return (
        (await place.backend.images?.importRootfs(reference, Readable.from(tar), { env: {}, labels: { content } }))
          ?.id ?? ''
      );
    };
    const ids = async (): Promise<readonly string[]> => (await place.backend.images?.list())?.map(({ id }) => id) ?? [];
    try {
      const first = await make('1');
      const second = await make('2');
      expect(await ids()).not.toContain(first);
      expect(await place.backend.images?.list()).toContainEqual(
        expect.objectContaining({ reference, id: second, labels: { content: '2' } }),
      );
      await place.engine.getImage(second).tag({ repo: 'caisson-test/other', tag: place.instance });
      const container = await place.engine.createContainer({ Image: await make('3'), Cmd: ['/marker'] });
      expect(await ids()).toContain(second);
      const used = (await container.inspect()).Image;
      await make('4');
      expect(await ids()).toContain(used);
      await container.remove();
      await place.engine.getImage(used).remove();
    } finally {
      for (const name of [reference, other])
        await place.engine
          .getImage(name)
          .remove({ force: true })
          .catch(() => {});
      await place.close();
    }
  });
});
