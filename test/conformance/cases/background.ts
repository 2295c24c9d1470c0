import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { eventually, isAlive, readUntil, sh, start } from '../command.ts';
import type { Suite } from '../suite.ts';

export function backgroundCases(suite: Suite): void {
  suite.test(
    'background.holds',
    'tells the end of a command while its child still holds the streams (RL-11)',
    async (place) => {
      const process = await start(await place.sandbox(), ['sh', '-c', 'sleep 20 & echo $!; exit 3']);
      const pid = Number(await readUntil(process.stdout, '\n'));
      const started = performance.now();
      expect((await process.wait()).exitCode).toBe(3);
      expect(performance.now() - started).toBeLessThan(10_000);
      expect(process.stdout.readableEnded).toBe(false);
      const closed = process.stdout.closed ? Promise.resolve() : once(process.stdout, 'close');
      process.release();
      await closed;
      expect(process.stdout.destroyed).toBe(true);
      const sandbox = await place.sandbox();
      expect(await isAlive(sandbox, pid)).toBe(true);
      await sh(sandbox, `kill -9 ${pid}`);
    },
  );

  suite.test('background.writes', 'delivers what a child writes after the command has ended', async (place) => {
    const process = await start(await place.sandbox(), ['sh', '-c', '(sleep 1; echo late) & echo early']);
    await process.wait();
    expect(await readUntil(process.stdout, 'late\n')).toBe('early\nlate\n');
    process.release();
  });

  suite.test('background.detached', 'leaves a child alone that let go of the streams', async (place) => {
    const sandbox = await place.sandbox();
    const { stdout } = await sh(sandbox, 'sleep 20 </dev/null >/dev/null 2>&1 & echo $!');
    expect(await isAlive(sandbox, Number(stdout))).toBe(true);
    await sh(sandbox, `kill -9 ${Number(stdout)}`);
    expect(await eventually(async () => !(await isAlive(sandbox, Number(stdout))))).toBe(true);
  });

  suite.test(
    'background.release-early',
    'does not touch a running command when its streams are released',
    async (place) => {
      const sandbox = await place.sandbox();
      const process = await start(sandbox, ['sh', '-c', 'echo $$; trap "" PIPE; sleep 3; exit 4']);
      const pid = Number(await readUntil(process.stdout, '\n'));
      process.release();
      await sleep(100);
      expect(await isAlive(sandbox, pid)).toBe(true);
      const end = await process.wait().catch((error: unknown) => error);
      // A place whose streams carry the end as well may lose it with them, and must say so.
      if (end instanceof Error) expect(end).toMatchObject({ code: 'unavailable' });
      else expect(end).toMatchObject({ exitCode: 4 });
    },
  );

  if (suite.place.guarantees.isolation !== 'none' && suite.place.guarantees.isolation !== 'remote-host') {
    suite.test('background.zombies', 'reaps orphans inside the sandbox (RL-09)', async (place) => {
      const sandbox = await place.sandbox();
      await sh(sandbox, 'i=0; while [ $i -lt 50 ]; do (sleep 0.1 &) ; i=$((i+1)); done; sleep 0.5');
      const count =
        'n=0; for f in /proc/[0-9]*/status; do while read -r k v _; do [ "$k $v" = "State: Z" ] && n=$((n+1)); done <$f; done 2>/dev/null; echo $n';
      expect(await eventually(async () => Number((await sh(sandbox, count)).stdout) === 0)).toBe(true);
    });
  }
}
