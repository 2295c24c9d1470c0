import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openWorld } from './world.ts';

it.each(['/v1/sandboxes/build/processes/exec_gone', '/v1/sandboxes/build/processes'])(
  'a detached process that was seen to have ended at %s has no row among the places',
  async (path) => {
    await using world = await openWorld();
    await world.ask('/v1/sandboxes', { body: { taskId: 'build' } });
    const body = { command: ['true'], execId: 'exec_gone' };
    const started = await world.ask('/v1/sandboxes/build/processes', { body });
    expect(started.ok).toBe(true);
    await expect.poll(async () => await (await world.ask(path)).text()).toContain('"exited"');
    const db = new DatabaseSync(join(world.root, 'home', 'caisson.db'), { readOnly: true });
    expect(db.prepare('SELECT count(*) AS n FROM process_places').get()).toEqual({ n: 0 });
    db.close();
  },
);
