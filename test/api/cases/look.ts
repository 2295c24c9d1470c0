import { expect } from 'vitest';
import { calling, refused } from '../reading.ts';
import type { Suite } from '../suite.ts';

export function lookCases(suite: Suite): void {
  suite.test('installation.status.well', 'says that the backend in use is ready, and what there is', async (place) => {
    const { backend } = place.subject;
    const status = await place.agent.installation.status();
    expect(status.backends).toMatchObject([{ backend, status: 'ready' }]);
    expect(status.concerns.filter(({ level }) => level === 'broken')).toEqual([]);
    expect(status.sandboxes.some((each) => each.backend === backend && each.count > 0)).toBe(true);
    expect(status.disk.freeBytes).toBeGreaterThan(0);
    expect(status.audit.records).toBeGreaterThan(0);
  });

  suite.test('sandboxes.top.last', 'shows each sandbox with the command that began last', async (place) => {
    const taskId = await place.fresh();
    await place.agent.run({ taskId, command: ['echo', 'the last one'] });
    const all = await place.agent.sandboxes.top();
    expect(all.map((each) => each.taskId)).toContain(place.task);
    const [own] = await place.agent.sandboxes.top({ task: taskId });
    expect(own).toMatchObject({ taskId, state: 'ready', owner: 'operator', backend: place.subject.backend });
    expect(own?.last).toMatchObject({ command: ['echo', 'the last one'], outcome: 'done' });
    await refused(calling(place.agent.sandboxes, 'top', { tsk: taskId }), 'invalid_argument');
  });

  suite.test('sandboxes.samples.none', 'gives lists, and refuses a sandbox that is not there', async (place) => {
    const { recent, minutes } = await place.agent.sandboxes.samples(place.task, { last: 3 });
    expect(recent.length).toBeLessThanOrEqual(3);
    expect(minutes).toEqual([]);
    await refused(place.agent.sandboxes.samples('nothing-of-that-name'), 'not_found');
  });

  suite.test('sandboxes.keepSamples.here', 'begins, and again is the same', async (place) => {
    place.agent.sandboxes.keepSamples();
    place.agent.sandboxes.keepSamples();
    expect((await place.agent.sandboxes.samples(place.task)).recent).toBeInstanceOf(Array);
  });
}
