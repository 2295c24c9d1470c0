import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquire } from '../../src/sandbox/acquire.ts';
import { removeSandbox } from '../../src/sandbox/end.ts';
import { sweep } from '../../src/sandbox/sweep.ts';
import { afresh, plan } from './service.ts';

const { at, service } = afresh();

describe('removal', () => {
  it('can be left when the place does not answer, and is finished later', async () => {
    const context = await service();
    await acquire(context, await plan(context), {});
    at.place.fail({ on: 'destroy', delayMs: Infinity });
    const leaving = new AbortController();
    const removing = removeSandbox(context, 'demo', { keepFiles: false, signal: leaving.signal });
    setTimeout(() => leaving.abort(), 50);
    await expect(removing).rejects.toMatchObject({ code: 'canceled', remedy: expect.stringContaining('caisson gc') });
    expect(await context.store.sandboxes.list({ limit: 1000 })).toMatchObject([{ state: 'destroying' }]);
    at.place.heal();
    expect(await sweep(context)).toMatchObject([{ reason: 'unfinished', error: null }]);
    expect(await context.store.sandboxes.list({ limit: 1000 })).toEqual([]);
  });

  it('is ended all the same when its caller leaves and the place answers', async () => {
    const context = await service();
    await acquire(context, await plan(context), {});
    at.place.fail({ on: 'destroy', delayMs: 200 });
    const signal = AbortSignal.timeout(50);
    await removeSandbox(context, 'demo', { keepFiles: false, signal });
    expect(await context.store.sandboxes.list({ limit: 1000 })).toEqual([]);
  });

  it('takes the files that an earlier one has kept, and nothing for a name that is not that of a task', async () => {
    const context = await service({ persistence: 'directory' });
    const asked = await plan(context);
    const { row } = await acquire(context, { ...asked, spec: { ...asked.spec, persistent: true } }, {});
    await writeFile(join(row.directory ?? '', 'note'), 'kept');
    await removeSandbox(context, 'demo', { keepFiles: true });
    const noSuch = { code: 'not_found' };
    for (const name of ['demo/../demo', row.id, 'other'])
      await expect(removeSandbox(context, name, { keepFiles: false })).rejects.toMatchObject(noSuch);
    await expect(removeSandbox(context, 'demo', { keepFiles: true })).rejects.toMatchObject(noSuch);
    expect(await readdir(row.directory ?? '')).toEqual(['note']);
    await removeSandbox(context, 'demo', { keepFiles: false });
    expect(await readdir(join(at.home, 'sandboxes/fake'))).toEqual(['tasks']);
    expect(await readdir(join(at.home, 'sandboxes/fake/tasks'))).toEqual([]);
    await expect(removeSandbox(context, 'demo', { keepFiles: false })).rejects.toMatchObject(noSuch);
  });

  it('is idempotent over failures, and finishes what it began', async () => {
    const context = await service();
    await acquire(context, await plan(context), {});
    at.place.fail({ on: 'destroy', error: 'unavailable' });
    await expect(removeSandbox(context, 'demo', { keepFiles: false })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('the sandbox and its files will be removed when fake answers again'),
      remedy: expect.stringContaining('caisson gc'),
      details: { recorded: true, taskId: 'demo' },
    });
    await removeSandbox(context, 'demo', { keepFiles: false });
    expect(at.place.resources.size).toBe(0);
    await expect(removeSandbox(context, 'demo', { keepFiles: false })).rejects.toMatchObject({ code: 'not_found' });
  });
});
