import { expect } from 'vitest';
import { run, sh } from '../command.ts';
import type { Suite } from '../suite.ts';

export function persistenceCases(suite: Suite): void {
  const { guarantees, subject } = suite.place;

  if (guarantees.persistence === 'directory') {
    suite.test(
      'persistence.directory',
      'keeps the files of a task in its own directory, also through destroy',
      async (place) => {
        const directory = await place.directory();
        const making = { spec: { persistent: true }, options: { directory } };
        const first = await place.create(making);
        expect((await sh(first, 'echo kept >note', { cwd: subject.spec.cwd })).exitCode).toBe(0);
        await place.destroy(first);
        const second = await place.create(making);
        expect((await run(second, ['cat', 'note'], { cwd: subject.spec.cwd })).stdout.toString()).toBe('kept\n');
        await place.destroy(second);
      },
    );
  }

  if (guarantees.ephemeral) {
    suite.test('persistence.ephemeral', 'loses everything of a sandbox that was not to persist', async (place) => {
      const making = { spec: { persistent: false }, options: place.options() };
      const first = await place.create(making);
      expect((await sh(first, 'echo lost >note', { cwd: subject.spec.cwd })).exitCode).toBe(0);
      await place.destroy(first);
      const second = await place.create(making);
      expect((await run(second, ['ls', '-A'], { cwd: subject.spec.cwd })).stdout.toString()).not.toContain('note');
      await place.destroy(second);
    });
  }

  if (suite.place.facets.power && guarantees.persistence !== 'none') {
    suite.test('persistence.power', 'keeps the files of a persistent sandbox through stop and start', async (place) => {
      const sandbox = await place.create({ spec: { persistent: true } });
      const note = `note-${place.instance}`;
      expect((await sh(sandbox, `echo kept >${note}`, { cwd: subject.spec.cwd })).exitCode).toBe(0);
      const again = await place.start(await place.stop(sandbox));
      const { stdout } = await sh(again, `cat ${note} && rm ${note}`, { cwd: subject.spec.cwd });
      expect(stdout.toString()).toBe('kept\n');
      await place.destroy(again);
    });
  }
}
