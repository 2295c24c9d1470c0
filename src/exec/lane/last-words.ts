/**
 * What a shell wrote last may still be on its way when its end is known. It is read to the ends of both streams, or, where
 * another process holds one of them, until nothing has come for a while.
 */
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { Process } from '../../backend.ts';

/** Ticks, since a busy process ticks late: after each, what has arrived meanwhile is read. */
const quietTicks = 10;
const tickMs = 20;

export async function lastWords({ stdout, stderr }: Process, isOver: () => boolean): Promise<void> {
  const streams = [stdout, stderr];
  let quiet = 0;
  const heard = (): void => void (quiet = 0);
  for (const stream of streams) stream.on('data', heard);
  const areOpen = (): boolean => streams.some(({ readableEnded, destroyed }) => !readableEnded && !destroyed);
  while (areOpen() && !isOver() && quiet < quietTicks) {
    quiet += 1;
    await sleep(tickMs, undefined, { ref: false });
    await turn();
    // A stream that its reader holds back brings nothing.
    if (streams.some((stream) => stream.isPaused())) quiet = 0;
  }
  for (const stream of streams) stream.off('data', heard);
}
