import type { Bench } from '../bench.ts';
import { judge, median } from '../figure.ts';
import { timed } from '../interleave.ts';
import { ourExec } from '../ours.ts';
import { peerCold, sameFlags } from '../peer.ts';
import { request, untilGone, withSandbox, type BenchPlace } from '../place.ts';

interface Burst {
  /** From the beginning of the burst to the first output of each, in the order of asking. */
  readonly ready: readonly number[];
  /** Until nothing of it was left on the engine. */
  readonly goneMs: number;
}

/**
 * All asked for at once, used, and removed. Ready is the first output of a command, counted from the beginning of the
 * burst; its wall ends when nothing of it is left on the engine.
 */
export const burst: Bench = {
  name: 'burst',
  about: '100 sandboxes asked for at once, against dockerode without a limit',
  async *run({ place: open, quick }) {
    const place = await open();
    const count = quick ? 12 : 100;
    const bursts: (readonly [Burst, Burst])[] = [];
    for (let round = 0; round < (quick ? 1 : 3); round++)
      bursts.push([await ourBurst(place, count), await peerBurst(place, count)]);
    const figure = (name: string, of: (burst: Burst) => number) => ({
      figure: name,
      unit: 'ms',
      ours: median(bursts.map(([ours]) => of(ours))),
      baseline: median(bursts.map(([, peer]) => of(peer))),
      ratio: median(bursts.map(([ours, peer]) => of(ours) / of(peer))),
      n: bursts.length,
    });
    yield judge(
      figure(`wall of ${count}`, ({ goneMs }) => goneMs),
      { of: 'ratio', is: '<=', value: 0.95 },
    );
    yield judge(
      figure('median ready', ({ ready }) => median(ready)),
      { of: 'ratio', is: '<=', value: 0.6 },
    );
    yield judge(
      figure('last ready', ({ ready }) => Math.max(...ready)),
      null,
    );
  },
};

async function ourBurst(place: BenchPlace, count: number): Promise<Burst> {
  let ready: readonly number[] = [];
  const one = async () => (await ourExec(place, request(place), ['echo', 'ready'])).firstByteMs;
  const goneMs = await timed(async () => {
    ready = await Promise.all(Array.from({ length: count }, one));
    await untilGone(place);
  });
  return { ready, goneMs };
}

/** Removes when all are ready, since removing slows down who still waits. */
async function peerBurst(place: BenchPlace, count: number): Promise<Burst> {
  const flags = await withSandbox(place, (_task, id) => sameFlags(place.docker, id));
  let ready: readonly number[] = [];
  const goneMs = await timed(async () => {
    const made = await Promise.all(Array.from({ length: count }, () => peerCold(place.docker, flags)));
    ready = made.map(({ readyMs }) => readyMs);
    await Promise.all(made.map(({ container }) => container.remove({ force: true })));
  });
  return { ready, goneMs };
}
