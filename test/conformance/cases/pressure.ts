import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';
import { collect, start } from '../command.ts';
import type { Suite } from '../suite.ts';

const mebibyte = 2 ** 20;
const maxHeldBytes = 16 * mebibyte;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** In sandboxes of their own: a place that fails here may be of no use afterwards. A reader that stops reading stops the command, not the service (OH-02, OH-03, without a line end OH-05). */
export function pressureCases(suite: Suite): void {
  suite.test(
    'pressure.held',
    'holds a command whose output is not read, in bounded memory, and loses no byte',
    async (place) => {
      const sandbox = await place.create();
      const process = await start(sandbox, ['sh', '-c', 'head -c 67108864 /dev/zero; echo done >&2']);
      const before = buffered();
      const notes = collect(process.stderr);
      const held = await Promise.race([process.wait().then(() => 'it ended'), heldAbove(before)]);
      expect(held).toBeLessThan(maxHeldBytes);
      let bytes = 0;
      for await (const chunk of process.stdout) {
        bytes += chunk.length;
        if (bytes < mebibyte) await sleep(5);
      }
      expect(bytes).toBe(64 * mebibyte);
      expect((await notes).toString()).toBe('done\n');
      expect((await process.wait()).exitCode).toBe(0);
      process.release();
      await place.destroy(sandbox);
    },
  );

  suite.test(
    'pressure.endless',
    'ends a command that prints without end, unread, when it is killed and released',
    async (place) => {
      const sandbox = await place.create();
      const process = await start(sandbox, ['sh', '-c', 'exec yes']);
      const before = buffered();
      expect(await heldAbove(before)).toBeLessThan(maxHeldBytes);
      await process.kill('SIGKILL');
      process.release();
      expect((await process.wait()).exitCode).not.toBe(0);
      await place.destroy(sandbox);
    },
  );

  suite.test('pressure.neighbour', 'serves a command beside one that is held (OH-06)', async (place) => {
    const sandbox = await place.create();
    const held = await start(sandbox, ['sh', '-c', 'exec yes']);
    await sleep(200);
    const other = await start(sandbox, ['echo', 'free']);
    expect((await collect(other.stdout)).toString()).toBe('free\n');
    other.release();
    await held.kill('SIGKILL');
    held.release();
    await held.wait();
    await place.destroy(sandbox);
  });
}

/**
 * Bytes that are held beyond the least since `before`, as an earlier case may still give some back: as soon as there are too many, else
 * after three seconds, in which a busy machine writes more than that.
 */
async function heldAbove(before: number): Promise<number> {
  let [least, held] = [before, 0];
  for (let look = 0; look < 3 && held < maxHeldBytes; look += 1) {
    await sleep(1000);
    const now = buffered();
    held = now - least;
    least = Math.min(least, now);
  }
  return held;
}

/** In bytes. Buffers that are read and not yet collected are not held, so a collection comes first. */
function buffered(): number {
  collectGarbage();
  return process.memoryUsage().external;
}
