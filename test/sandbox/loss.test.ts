/** A service that ends a sandbox while no Caisson runs: what is left is used, what is gone is reported. */
import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { acquire } from '../../src/sandbox/acquire.ts';
import { removeSandbox } from '../../src/sandbox/end.ts';
import { diskHome, output, within, written } from './disk-home.ts';
import { afresh, plan } from './service.ts';

describe('a sandbox that its service ended', () => {
  const disk = diskHome();

  async function ended(): Promise<string> {
    const { place } = disk.at;
    const [entry] = await place.all('live');
    const made = (await place.read('snapshots', entry?.entry.base ?? ''))?.made ?? '';
    await place.remove('live', entry?.name ?? '');
    return made;
  }

  it('runs from its last snapshot, says since when files are lost, and says it once', async () => {
    await written(disk.at);
    const since = await ended();
    expect(since).toMatch(/^2/);
    await within(disk.at, async (caisson) => {
      const { lostSince, stdout } = await caisson.run({ taskId: 'demo', command: ['cat', 'note'] });
      expect([stdout.text, lostSince]).toEqual(['kept\n', since]);
      expect((await caisson.run({ taskId: 'demo', command: ['true'] })).lostSince).toBeNull();
    });
  });

  it('is remembered as one that has lost files: by inspect, ls and the audit', async () => {
    await written(disk.at);
    const since = await ended();
    await within(disk.at, async (caisson) => expect((await caisson.sandboxes.start('demo')).lostSince).toBe(since));
    await within(disk.at, async (caisson) => {
      expect((await caisson.sandboxes.get('demo')).lostSince).toBe(since);
      expect((await caisson.sandboxes.list()).items).toMatchObject([{ lostSince: since }]);
      const records = await Array.fromAsync(caisson.audit.tail({ count: 50 }));
      expect(records.filter(({ type }) => type === 'loss')).toMatchObject([{ taskId: 'demo', backend: 'disk', since }]);
    });
  });

  it('is never replaced by an empty one when its snapshot is gone, until it is asked for', async () => {
    await written(disk.at);
    await ended();
    await rm(`${disk.at.place.root}/snapshots`, { recursive: true });
    await within(disk.at, async (caisson) => {
      const refused = { code: 'failed_precondition', remedy: expect.stringContaining('--recreate') };
      await expect(output(caisson, 'cat note')).rejects.toMatchObject(refused);
      await expect(caisson.sandboxes.start('demo')).rejects.toMatchObject(refused);
      const { sandbox, how } = await caisson.sandboxes.create({ taskId: 'demo', recreate: true });
      expect([sandbox.lostSince, how]).toEqual([null, 'created']);
      expect(await output(caisson, 'ls')).toBe('');
      await caisson.sandboxes.remove('demo');
    });
  });
});

describe('a persistent sandbox that something else removed, and its files with it', () => {
  const { at, service } = afresh();

  it('is refused, and made anew without the files only when that is asked for', async () => {
    const context = await service({ filesGoWithSandbox: true });
    const asked = await plan(context);
    const { row } = await acquire(context, asked, {});
    await at.place.vanish(row.id);
    context.live.clear();
    await expect(acquire(context, asked, {})).rejects.toMatchObject({
      code: 'failed_precondition',
      remedy: expect.stringContaining('--recreate'),
    });
    expect((await acquire(context, { ...asked, recreate: true }, {})).row.generation).toBe(2);
    await at.place.vanish(row.id);
    context.live.clear();
    await removeSandbox(context, 'demo', { keepFiles: false });
    expect(await context.store.sandboxes.list({ limit: 1000 })).toEqual([]);
  });

  it('is made anew without a question when it was not to keep files', async () => {
    const context = await service({ filesGoWithSandbox: true });
    const asked = await plan(context);
    const spec = { ...asked.spec, persistent: false };
    const { row } = await acquire(context, { ...asked, spec, placed: spec }, {});
    await at.place.vanish(row.id);
    context.live.clear();
    expect((await acquire(context, { ...asked, spec, placed: spec }, {})).how).toBe('recreated');
  });
});
