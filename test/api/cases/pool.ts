import { expect } from 'vitest';
import type { Suite } from '../suite.ts';

/** The configuration of the suite has no entry, so that every sandbox of the cases is made for it. */
export function poolCases(suite: Suite): void {
  suite.test('pool.list.empty', 'lists the entries of the configuration', async (place) => {
    expect(await place.agent.pool.list()).toEqual([]);
  });

  suite.test('pool.fill.empty', 'makes nothing that no entry wants', async (place) => {
    expect(await place.agent.pool.fill()).toEqual([]);
    expect((await place.agent.sandboxes.list({ pool: true })).items).toEqual([]);
  });

  suite.test('pool.drain.empty', 'removes no sandbox of a task', async (place) => {
    expect(await place.agent.pool.drain()).toEqual({ removed: 0 });
    expect((await place.agent.sandboxes.get(place.task)).state).toBe('ready');
  });

  suite.test('pool.keep.empty', 'makes nothing that no entry wants, from now on', async (place) => {
    place.agent.pool.keep();
    expect(await place.agent.pool.list()).toEqual([]);
  });
}
