import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openCaisson } from '../../src/main.ts';
import { expectAllAdopted, kills, killServices, tasks } from '../exec/detached/adoption.ts';

it(
  'detached processes live through kills of the service: all adopted, statuses right, output whole',
  { timeout: 400_000 },
  async () => {
    const home = await mkdtemp(join(tmpdir(), 'caisson-adoption-'));
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: home, CAISSON_TERMINAL_BACKEND: 'local' };
    const first = await openCaisson({ home, env, cwd: home });
    await Promise.all(tasks.map((taskId) => first.sandboxes.create({ taskId })));
    await first.close();
    const accepted = await killServices({ home, env, times: kills });
    const caisson = await openCaisson({ home, env, cwd: home });
    try {
      expect(accepted.size).toBeGreaterThanOrEqual(kills);
      // A service may have died before it said what it had started: there may be more than was accepted, never fewer.
      const ids = [...accepted.keys()];
      const each = await Promise.all(tasks.map((taskId) => caisson.processes.list({ task: taskId })));
      for (const listed of [each.flat(), await caisson.processes.list()])
        expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
      await expectAllAdopted(caisson, accepted);
    } finally {
      await Promise.all(tasks.map((taskId) => caisson.sandboxes.remove(taskId)));
      await caisson.close();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    }
  },
);
