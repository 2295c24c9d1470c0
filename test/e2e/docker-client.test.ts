/** What Docker's own client loses, so that what is written about it stays true. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { dockerHost } from '../engines/docker.ts';
import { makeHome } from './home.ts';

const run = promisify(execFile);
const bytes = 1_400_000;

it('the client of Docker loses output of a reader that is late, without an error', { timeout: 120_000 }, async () => {
  await using home = await makeHome();
  const caisson = await home.open();
  await caisson.sandboxes.create({ taskId: 't' });
  const [container = ''] = await home.containers();
  // How much fits into the buffers between the two differs: the loss shows where the command ends and the rest is on its way.
  const sizes = Array.from({ length: 10 }, (_, index) => 1_250_000 + index * 25_000);
  const lose = (): Promise<readonly number[]> =>
    Promise.all(
      sizes.map(async (size) => {
        const pipe = `docker -H "$1" exec "$2" head -c ${size} /dev/zero | (sleep 4; wc -c)`;
        const { stdout } = await run('sh', ['-c', pipe, 'sh', dockerHost() ?? '', container]);
        return size - Number(stdout);
      }),
    );
  let lost: readonly number[] = [0];
  for (let tries = 0; tries < 4 && Math.max(...lost) === 0; tries += 1) lost = await lose();
  expect(Math.max(...lost)).toBeGreaterThan(0);
  const running = await caisson.exec({ taskId: 't', command: ['head', '-c', String(bytes), '/dev/zero'], stdin: true });
  running.stdin?.end();
  running.stderr.resume();
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  const [chunks, { stdout: end }] = await Promise.all([running.stdout.toArray(), running.exit]);
  const read = chunks.reduce((sum: number, chunk: Buffer) => sum + chunk.length, 0);
  // No reader was there for as long: it is whole, or it says that it is not.
  if (end.complete === true) expect(read).toBe(bytes);
  else expect(end.complete).toBe(false);
});
