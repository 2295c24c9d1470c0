import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openCaisson } from '../../src/main.ts';
import { expectAllAdopted, killServices } from '../exec/detached/adoption.ts';

it(
  'detached processes live through 50 kills of the service: all adopted, statuses right, output whole',
  { timeout: 400_000 },
  async () => {
    const home = await mkdtemp(join(tmpdir(), 'caisson-adoption-'));
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: home, CAISSON_TERMINAL_BACKEND: 'local' };
    const first = await openCaisson({ home, env, cwd: home });
    await first.create({ taskId: 'work' });
    await first.close();
    const accepted = await killServices(home, env, 50);
    const caisson = await openCaisson({ home, env, cwd: home });
    try {
      expect(accepted.size).toBeGreaterThanOrEqual(50);
      // A service may have died before it said what it had started: there may be more than was accepted, never fewer.
      const ids = [...accepted.keys()];
      expect((await caisson.processes('work')).map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
      expect((await caisson.processes()).map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
      await expectAllAdopted(caisson, accepted);
    } finally {
      await caisson.remove('work');
      await caisson.close();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    }
  },
);
