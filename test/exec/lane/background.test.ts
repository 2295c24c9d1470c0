import { expect, it } from 'vitest';
import { collect } from '../../../src/exec/collect.ts';
import { LanedSandbox } from '../../../src/exec/lane/laned.ts';
import { startExec } from '../../../src/exec/start.ts';
import { bare, shell } from '../requests.ts';
import { spawnedSandbox } from '../spawned-sandbox.ts';

it('does not call a child a background process that ends soon after its command', async () => {
  const laned = new LanedSandbox(spawnedSandbox(), null);
  const run = async (text: string) =>
    (await collect(await startExec(laned, shell(text), bare), { keepBytes: 100 })).exit;
  for (let index = 0; index < 2; index += 1) await run('true');
  // Some of them may be late on a busy machine.
  const reported = [];
  for (let index = 0; index < 5; index += 1) reported.push((await run('sleep 0.08 & echo started')).backgroundOpen);
  expect(reported).toContain(false);
  expect((await run('sleep 2 & echo started')).backgroundOpen).toBe(true);
  laned.close();
});
