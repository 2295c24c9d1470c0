/** When a place gets the allow list of a sandbox, and what it gets where no list can be made. */
import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import type { Context } from '../../src/sandbox/context.ts';
import { acquire } from '../../src/sandbox/acquire.ts';
import { type Filters, GivenLists, type PlaceList } from '../../src/egress/place-list.ts';
import { hasDoor, isFilteredByPlace } from '../../src/egress/way-out.ts';
import { WaysOut } from '../../src/egress/ways.ts';
import { kept } from '../../src/sandbox/kept.ts';
import { noDoors } from './no-way-out.ts';
import { row, spec } from './rows.ts';
import { afresh, plan } from './service.ts';

const filtered = row({ spec: { ...spec, network: 'filtered', filteredBy: 'place' } });

/** Makes a sandbox in the fake place, which cannot take a list. */
const made = async (context: Context, taskId: string): Promise<Sandbox> =>
  (await acquire(context, await plan(context, { taskId }), {})).sandbox;

describe('the list of a place', () => {
  const { service } = afresh();

  /** `rules`: what the store says at each moment. */
  async function world(rules: { hosts: readonly string[] | null; revision: number }) {
    const context = await service({ network: ['open', 'filtered', 'none'], filter: { ports: [443], mostHosts: 5 } });
    const seen: (readonly string[])[] = [];
    const list = async (): Promise<PlaceList> => {
      if (rules.hosts === null) throw new CaissonError('not_supported', 'cannot be said');
      return { hosts: rules.hosts, revision: rules.revision, source: '', websites: '' };
    };
    const isCurrent = async (_row: unknown, { revision }: PlaceList) => revision === rules.revision;
    const filters: Filters = { list, isCurrent, check: async () => undefined };
    let before = async (_hosts: readonly string[]): Promise<void> => undefined;
    const egress: Sandbox['egress'] = {
      replace: async (hosts) => {
        await before(hosts);
        seen.push(hosts);
      },
    };
    const sandbox: Sandbox = Object.assign(await made(context, 'takes'), { egress });
    const meanwhile = (work: typeof before) => (before = work);
    const lists = new GivenLists({ filters, backend: context.backend });
    const wayOut = new WaysOut({ ...noDoors, keep: async () => undefined }, lists);
    const keep = async (of = filtered, one = sandbox): Promise<boolean> => await wayOut.keep(of, one);
    return { context: { ...context, wayOut }, keep, lists, sandbox, seen, meanwhile };
  }

  it('is given once by each process, and again when the rules have changed', async () => {
    const rules = { hosts: ['a.example'], revision: 1 };
    const { keep, seen } = await world(rules);
    await keep();
    await keep();
    expect(seen).toEqual([['a.example']]);
    Object.assign(rules, { hosts: ['b.example'], revision: 2 });
    await keep();
    expect(seen).toEqual([['a.example'], ['b.example']]);
  });

  it('is given again where the rules changed while it was given', async () => {
    const rules = { hosts: ['a.example'], revision: 1 };
    const { keep, seen, meanwhile } = await world(rules);
    meanwhile(async () => void Object.assign(rules, { hosts: [], revision: 2 }));
    await keep();
    expect(seen).toEqual([['a.example'], []]);
  });

  it('is not given for ever', async () => {
    const rules = { hosts: ['a.example'], revision: 1 };
    const { keep, seen, meanwhile } = await world(rules);
    meanwhile(async () => void (rules.revision += 1));
    await expect(keep()).rejects.toMatchObject({ code: 'unavailable' });
    expect(seen).toHaveLength(5);
  });

  it('is empty where the rules cannot be said, and stays so until they can', async () => {
    const rules: { hosts: readonly string[] | null; revision: number } = { hosts: ['a.example'], revision: 1 };
    const { keep, seen } = await world(rules);
    await keep();
    Object.assign(rules, { hosts: null, revision: 2 });
    await expect(keep()).rejects.toMatchObject({ code: 'not_supported' });
    expect(seen.at(-1)).toEqual([]);
    Object.assign(rules, { hosts: ['c.example'], revision: 2 });
    await keep();
    expect(seen.at(-1)).toEqual(['c.example']);
  });

  it('that was not taken is given again before the next command', async () => {
    const { keep, seen, meanwhile } = await world({ hosts: ['a.example'], revision: 1 });
    meanwhile(() => Promise.reject(new CaissonError('unavailable', 'away')));
    await expect(keep()).rejects.toMatchObject({ code: 'unavailable' });
    meanwhile(async () => undefined);
    await keep();
    expect(seen).toEqual([['a.example']]);
  });

  it('of a handle whose sandbox has ended is given to the sandbox as the place knows it', async () => {
    const { context, lists, sandbox, meanwhile } = await world({ hosts: ['a.example'], revision: 1 });
    const { row: of } = await acquire(context, await plan(context, { taskId: 'takes' }), {});
    const listed = { ...of, spec: filtered.spec };
    const live = context.live.get(of.id);
    expect(await kept(context, listed)).toEqual({ sandbox: live, isLive: true, isOpen: true });
    for (const code of ['not_found', 'failed_precondition'] as const) {
      lists.forget(of.id);
      meanwhile(() => Promise.reject(new CaissonError(code, 'ended')));
      // The fake place has the resource still, and attaches to it without a way to take a list.
      await expect(kept(context, listed)).rejects.toMatchObject({ code: 'not_supported' });
      expect(context.live.has(of.id)).toBe(false);
      context.live.set(of.id, live ?? expect.fail());
    }
    meanwhile(() => Promise.reject(new CaissonError('unavailable', 'away')));
    await expect(kept(context, listed)).rejects.toMatchObject({ code: 'unavailable' });
    expect([context.live.has(of.id), sandbox]).toEqual([true, live]);
  });

  it('cannot be given to a sandbox that has no way to take it', async () => {
    const { context, keep } = await world({ hosts: ['a.example'], revision: 1 });
    await expect(keep(filtered, await made(context, 'without'))).rejects.toMatchObject({
      code: 'not_supported',
    });
  });

  it('is asked for by no other network', async () => {
    const { keep, seen } = await world({ hosts: ['a.example'], revision: 1 });
    const degraded = [{ control: 'network', wanted: 'filtered', reason: 'test', asked: true }];
    for (const other of [
      row({ spec: { ...spec, network: 'open' } }),
      row({ spec: { ...spec, network: 'filtered' } }),
      { ...filtered, degraded },
    ])
      await keep(other);
    expect(seen).toEqual([]);
  });
});

it('a place that filters by itself has no door', () => {
  const door = row({ spec: { ...spec, network: 'filtered' } });
  expect([hasDoor(door), isFilteredByPlace(door)]).toEqual([true, false]);
  expect([hasDoor(filtered), isFilteredByPlace(filtered)]).toEqual([false, true]);
});
