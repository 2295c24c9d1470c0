/** Rounds of the filler: what they make and remove, and when they leave an entry alone. */
import { describe, expect, it } from 'vitest';
import { acquire } from '../../src/sandbox/acquire.ts';
import { backOffMs } from '../../src/pool/back-off.ts';
import { drain, membersIn } from '../../src/pool/drain.ts';
import type { Entry } from '../../src/pool/entries.ts';
import { Filler } from '../../src/pool/filler.ts';
import { memberKey } from '../../src/pool/key.ts';
import { sizeWithin } from '../../src/pool/want.ts';
import { CaissonError } from '../../src/errors.ts';
import { afresh } from '../sandbox/service.ts';
import { type Pooling, pooling } from './pools.ts';

const { at, service: bare } = afresh();
const another = async (): Promise<Pooling> => await pooling(await bare({ persistence: 'directory' }));

function fillerOf({ context }: Pooling, entries: () => readonly Entry[]): Filler {
  return new Filler({
    context,
    entries: () => entries().map((entry) => ({ name: entry.wanted.entry, read: () => Promise.resolve(entry) })),
  });
}

const ids = async ({ context }: Pooling): Promise<readonly string[]> => (await membersIn(context)).map(({ id }) => id);

describe('a round', () => {
  it('makes the members that are missing, and no more', async () => {
    const pool = await another();
    const filler = fillerOf(pool, () => [pool.entry]);
    await filler.round();
    const made = await ids(pool);
    expect(made).toHaveLength(2);
    await filler.round();
    expect(await ids(pool)).toEqual(made);
    await acquire(pool.context, pool.asked, {});
    await filler.round();
    expect(await ids(pool)).toHaveLength(2);
    expect(at.place.resources.size).toBe(3);
  });

  it('is of one process at a time', async () => {
    const [one, other] = [await another(), await another()];
    await Promise.all([fillerOf(one, () => [one.entry]).round(), fillerOf(other, () => [other.entry]).round()]);
    expect(await ids(one)).toHaveLength(2);
  });

  it('removes what was made from another configuration or image, or for no entry, and keeps the rest', async () => {
    const pool = await another();
    let entry = pool.entry;
    const filler = fillerOf(pool, () => [entry]);
    await filler.round();
    const first = await ids(pool);
    entry = { ...entry, wanted: { ...entry.wanted, image: 'sha256:one' } };
    await filler.round();
    expect(await ids(pool)).toEqual(first); // the id of the image was not known before
    const plan = { ...entry.plan, placed: { ...entry.plan.placed, cwd: '/tmp' } };
    entry = { plan, wanted: { ...entry.wanted, key: memberKey(plan) } };
    await filler.round();
    const second = await ids(pool);
    expect([second.length, second.filter((id) => first.includes(id))]).toEqual([2, []]);
    entry = { ...entry, wanted: { ...entry.wanted, image: 'sha256:two' } };
    await filler.round();
    expect((await ids(pool)).filter((id) => second.includes(id))).toEqual([]);
    expect(at.place.resources.size).toBe(2);
    await fillerOf(pool, () => []).round();
    expect(at.place.resources.size).toBe(0);
  });

  it('gives up its lanes in members that another process has taken, and keeps those that it has taken itself', async () => {
    const [pool, other] = [await another(), await another()];
    await fillerOf(pool, () => [pool.entry]).round();
    const own = await acquire(pool.context, pool.asked, {});
    const taken = await acquire(other.context, { ...other.asked, taskId: 'other' }, {});
    expect([...pool.context.live.keys()].toSorted()).toEqual([own.row.id, taken.row.id].toSorted());
    await fillerOf(pool, () => [pool.entry]).round();
    expect(pool.context.live.has(own.row.id)).toBe(true);
    expect(pool.context.live.has(taken.row.id)).toBe(false);
    expect(pool.context.live.size).toBe(3);
  });

  it('removes those beyond a smaller size', async () => {
    const pool = await another();
    await fillerOf(pool, () => [pool.entry]).round();
    await fillerOf(pool, () => [{ ...pool.entry, wanted: { ...pool.entry.wanted, size: 1 } }]).round();
    expect(await ids(pool)).toHaveLength(1);
  });

  it('leaves an entry alone for a while after a failure, and others not', async () => {
    const pool = await another();
    const other: Entry = { ...pool.entry, wanted: { ...pool.entry.wanted, entry: 'other', size: 1 } };
    let entries = [{ ...pool.entry, wanted: { ...pool.entry.wanted, size: 1 } }];
    const filler = fillerOf(pool, () => entries);
    at.place.fail({ on: 'create', error: 'unavailable' });
    await filler.round();
    expect(filler.failureOf('web')).toMatchObject({ code: 'unavailable' });
    entries = [...entries, other];
    await filler.round();
    expect((await membersIn(pool.context)).map((row) => row.pool?.entry)).toEqual(['other']);
    expect(at.place.resources.size).toBe(1);
  });

  it('keeps members of an entry whose place does not answer', async () => {
    const pool = await another();
    await fillerOf(pool, () => [pool.entry]).round();
    const read = (): Promise<Entry> => Promise.reject(new CaissonError('unavailable', 'the engine is down'));
    const filler = new Filler({ context: pool.context, entries: () => [{ name: 'web', read }] });
    await filler.round();
    expect(await ids(pool)).toHaveLength(2);
    expect(filler.failureOf('web')?.message).toBe('the engine is down');
  });

  it('makes nothing once it was stopped', async () => {
    const pool = await another();
    const filler = fillerOf(pool, () => [pool.entry]);
    filler.start();
    await filler.stop();
    const before = await ids(pool);
    await filler.round();
    expect(await ids(pool)).toEqual(before);
  });
});

describe('a drain', () => {
  it('removes all that no task has taken', async () => {
    const pool = await another();
    await fillerOf(pool, () => [pool.entry]).round();
    const rows = await membersIn(pool.context);
    const { row } = await acquire(pool.context, pool.asked, {});
    expect(await drain(pool.context, rows)).toBe(1);
    expect((await pool.context.store.sandboxes.list({ limit: 9 })).map(({ id }) => id)).toEqual([row.id]);
    expect([...at.place.resources.keys()]).toEqual([row.id]);
  });
});

describe('bounds', () => {
  it('hold for the memory of all members together', () => {
    const size = { size: 10, memoryBytes: 1000, memberBytes: 300 };
    expect(sizeWithin(size)).toBe(3);
    expect(sizeWithin({ ...size, memoryBytes: null })).toBe(10);
    expect(sizeWithin({ ...size, memberBytes: null })).toBe(0);
  });

  it('let an entry that fails rest longer each time, up to five minutes', () => {
    expect([1, 2, 3, 20].map(backOffMs)).toEqual([1000, 2000, 4000, 300_000]);
  });
});
