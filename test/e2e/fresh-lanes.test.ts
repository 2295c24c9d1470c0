/** The first commands of fresh sandboxes under a busy processor. `CAISSON_LOAD_FRESH` sets how many. */
import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { makeHome } from './home.ts';

const sandboxes = Number(process.env['CAISSON_LOAD_FRESH'] ?? 4);

it('no byte of a lane reaches the output of a command that ends by a signal', { timeout: 1_200_000 }, async () => {
  await using home = await makeHome();
  const caisson = await home.open();
  const burners: ChildProcess[] = Array.from({ length: availableParallelism() }, () =>
    spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }),
  );
  try {
    for (let index = 0; index < sandboxes; index += 1) {
      const taskId = `fresh-${index}`;
      await caisson.sandboxes.create({ taskId });
      for (const text of ['echo out; echo err >&2; kill -9 $$', 'echo out; echo err >&2; kill -TERM $$']) {
        const { exit, stdout, stderr } = await caisson.run({ taskId, command: ['sh', '-c', text] });
        expect([stdout.text, stderr.text, exit.backgroundOpen]).toEqual(['out\n', 'err\n', false]);
      }
      await caisson.sandboxes.remove(taskId);
    }
  } finally {
    for (const burner of burners) burner.kill('SIGKILL');
  }
});
