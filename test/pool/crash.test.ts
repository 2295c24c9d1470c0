/** What a process leaves that ends at a step of fill, claim or drain, and who puts it right. */
import { describe, expect, it } from 'vitest';
import { acquire } from '../../src/sandbox/acquire.ts';
import type { Context } from '../../src/sandbox/context.ts';
import { askedOf, placeSandbox, rowOf } from '../../src/sandbox/create.ts';
import { findGarbage } from '../../src/sandbox/garbage.ts';
import { sweep } from '../../src/sandbox/sweep.ts';
import { fillOne } from '../../src/pool/fill.ts';
import { memberTask } from '../../src/values/member.ts';
import type { SandboxRow } from '../../src/store/store.ts';
import { afresh } from '../sandbox/service.ts';
import { type Pooling, pooling } from './pools.ts';

const { at, service: bare } = afresh();
const another = async (): Promise<Pooling> => await pooling(await bare({ persistence: 'directory' }));

async function filled(): Promise<Pooling> {
  const pool = await another();
  await fillOne(pool.context, pool.entry);
  return pool;
}

const everyRow = async ({ store }: Context): Promise<readonly SandboxRow[]> =>
  await store.sandboxes.list({ limit: 99 });

/** The row as the transaction of a claim leaves it; nothing has followed. */
async function claimed({ context, asked, entry }: Pooling, ephemeral = false): Promise<SandboxRow | null> {
  const becomes = askedOf(context, { ...asked, ephemeral });
  return await context.store.pool.claim({ key: entry.wanted.key, first: [], becomes, quota: null });
}

async function expectNothing(context: Context): Promise<void> {
  expect(await everyRow(context)).toEqual([]);
  expect(at.place.resources.size).toBe(0);
  expect(await findGarbage(context, await context.backend('fake'))).toEqual([]);
}

const swept = async ({ context }: Pooling) => (await sweep(context)).map(({ reason, error }) => [reason, error]);

describe('a process that ends', () => {
  it('before it has offered a member leaves one that the sweep removes', async () => {
    const { context, entry } = await another();
    const id = 'sbx_aaaaaaaaaaaaaaaa';
    const plan = { ...entry.plan, taskId: memberTask(id) };
    const row = { ...rowOf(context, plan, id), pool: { entry: 'web', image: null } };
    await context.store.sandboxes.insert(row);
    await placeSandbox(context, { plan, row, how: 'created' }, {});
    expect(await swept(await another())).toEqual([['unfinished', null]]);
    await expectNothing(context);
  });

  it('before the resource of a member was made leaves a row that the sweep removes', async () => {
    const { context, entry } = await another();
    const id = 'sbx_aaaaaaaaaaaaaaaa';
    const row = rowOf(context, { ...entry.plan, taskId: memberTask(id) }, id);
    await context.store.sandboxes.insert({ ...row, pool: { entry: 'web', image: null } });
    expect(await swept(await another())).toEqual([['unfinished', null]]);
    await expectNothing(context);
  });

  it('after a claim leaves a sandbox that the next command of the task replaces', async () => {
    const pool = await filled();
    const first = await claimed(pool);
    const next = await another();
    const handle = await acquire(next.context, next.asked, {});
    expect([handle.how, handle.row.id === first?.id]).toEqual(['created', false]);
    expect((await everyRow(next.context)).map(({ id, state }) => [id, state])).toEqual([[handle.row.id, 'ready']]);
    expect([...at.place.resources.keys()]).toEqual([handle.row.id]);
  });

  it('after a claim leaves a sandbox that the sweep removes, and that is not offered again', async () => {
    const pool = await filled();
    await claimed(pool);
    expect(await swept(await another())).toEqual([['unfinished', null]]);
    await expectNothing(pool.context);
  });

  it('after a claim for one command leaves what the sweep of another process removes', async () => {
    const pool = await filled();
    await claimed(pool, true);
    expect(await swept(await another())).toEqual([]);
    await pool.context.store.close();
    const next = await another();
    expect(await swept(next)).toEqual([['ownerless', null]]);
    await expectNothing(next.context);
  });

  it('after it has taken a member out of the pool leaves one that the sweep removes', async () => {
    const pool = await filled();
    const [member] = await everyRow(pool.context);
    expect(await pool.context.store.pool.retire(member?.id ?? '', 'a test')).toBe(true);
    expect(await claimed(pool)).toBeNull();
    expect(await swept(await another())).toEqual([['unfinished', null]]);
    await expectNothing(pool.context);
  });

  it('between two members leaves those that are ready for others', async () => {
    const pool = await filled();
    const [member] = await everyRow(pool.context);
    await pool.context.store.close();
    const next = await another();
    expect(await swept(next)).toEqual([]);
    expect((await acquire(next.context, next.asked, {})).row.id).toBe(member?.id);
  });
});

describe('a fill that fails', () => {
  it('leaves nothing', async () => {
    const { context, entry } = await another();
    at.place.fail({ on: 'exec', error: 'unavailable', times: 9 });
    await expect(fillOne(context, entry)).rejects.toMatchObject({ code: expect.any(String) });
    await expectNothing(context);
  });
});
