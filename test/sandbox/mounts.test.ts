import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Mount } from '../../src/backend.ts';
import { acquire } from '../../src/sandbox/acquire.ts';
import { stopSandbox } from '../../src/sandbox/end.ts';
import type { Context } from '../../src/sandbox/context.ts';
import type { Plan } from '../../src/plan/types.ts';
import { replaceableBy } from '../../src/sandbox/mounts.ts';
import { row, spec } from './rows.ts';
import { afresh, plan } from './service.ts';

const { at, service } = afresh();

let source: string;
beforeEach(async () => {
  source = await realpath(await mkdtemp(join(tmpdir(), 'mounts-')));
});
afterEach(() => rm(source, { recursive: true, force: true }));

async function mounting(context: Context, patch: Partial<Plan> = {}): Promise<Plan> {
  const bare = await plan(context, patch);
  const own = { ...bare.spec, mounts: [{ source, target: '/workspace', readOnly: false }] };
  return { ...bare, spec: own, placed: own };
}

function identity(path: string): { device: bigint; inode: bigint } {
  const { dev, ino } = statSync(path, { bigint: true });
  return { device: dev, inode: ino };
}

async function refusals(context: Context): Promise<unknown> {
  const records = await Array.fromAsync(context.audit.tail({ count: 9, follow: false }));
  return records.map(({ type, refused }) => [type, refused]);
}

describe('a mount that cannot be seen from here', () => {
  it('is refused, with nothing left', async () => {
    const context = await service({ mounts: 'read-write' });
    await expect(acquire(context, await mounting(context), {})).rejects.toMatchObject({ code: 'not_supported' });
    expect(at.place.resources.size).toBe(0);
    expect(await refusals(context)).toEqual([['mount', 'not_supported']]);
  });

  it('is listed as missing where that is allowed, and then also after a stop', async () => {
    const context = await service({ mounts: 'read-write' }, { mounted: () => null });
    const allowed = await mounting(context, { allowDegraded: true });
    const { row: made } = await acquire(context, allowed, {});
    expect(made.degraded.map(({ control }) => control)).toEqual(['mounts', 'setid']);
    await stopSandbox(context, 'demo', {});
    expect((await acquire(context, await mounting(context), {})).how).toBe('started');
  });
});

describe('a mount that can be seen', () => {
  it('ends the sandbox that shows another file, at its creation and at its start', async () => {
    let shown = identity(source);
    const context = await service({ mounts: 'read-write' }, { mounted: () => shown });
    await acquire(context, await mounting(context), {});
    await stopSandbox(context, 'demo', {});
    shown = identity('/');
    await expect(acquire(context, await mounting(context), {})).rejects.toMatchObject({ code: 'conflict' });
    expect([...at.place.resources.values()].map(({ state }) => state)).toEqual(['stopped']);
    const other = await mounting(context, { taskId: 'other' });
    await expect(acquire(context, other, {})).rejects.toMatchObject({ code: 'conflict' });
    expect(at.place.resources.size).toBe(1);
    expect(await refusals(context)).toEqual([
      ['mount', 'conflict'],
      ['mount', 'conflict'],
    ]);
  });
});

describe('replaceableBy', () => {
  const mount = (path: string, readOnly = false): Mount => ({ source: path, target: '/workspace', readOnly });
  const other = (path: string, readOnly = false) =>
    row({ id: 'sbx_b', taskId: 'b', spec: { ...spec, mounts: [mount(path, readOnly)] } });

  it.each([
    ['/srv/a/b', other('/srv/a'), 'b'],
    ['/srv/a', other('/srv/a'), null],
    ['/srv/a', other('/srv/a/b'), null],
    ['/srv/ab', other('/srv/a'), null],
    ['/srv/a/b', other('/srv/a', true), null],
  ])('%s', (path, above, expected) => {
    expect(replaceableBy(mount(path), 'sbx_a', [above])).toBe(expected);
    expect(replaceableBy(mount(path), 'sbx_b', [above])).toBeNull();
  });
});
