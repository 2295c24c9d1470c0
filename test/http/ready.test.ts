import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openWorld } from './world.ts';

it('is not ready while the rules of the project cannot be read, and ready again when they can', async () => {
  await using world = await openWorld();
  const look = async (): Promise<unknown> => {
    const answer = await world.ask('/readyz', { token: null });
    return [answer.status, await answer.json()];
  };
  writeFileSync(join(world.root, '.caisson'), 'a file where a directory belongs');
  expect(await look()).toEqual([503, { status: 'commands-cannot-be-judged' }]);
  expect(world.logged()).toContain('permissions.yaml cannot be read');
  rmSync(join(world.root, '.caisson'));
  expect(await look()).toEqual([200, { status: 'ready' }]);
});
