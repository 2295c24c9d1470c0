import type { Bench } from '../bench.ts';
import { judge, median, quantile } from '../figure.ts';
import { timed } from '../interleave.ts';
import { ourExec } from '../ours.ts';
import { peerCold, sameFlags } from '../peer.ts';
import { request, withSandbox } from '../place.ts';

interface Burst {
  readonly wall: number;
  readonly ready: readonly number[];
}

/** All asked for at once. Ready is the first output of a command, counted from the beginning of the burst. */
export const burst: Bench = {
  name: 'burst',
  about: '100 sandboxes asked for at once, against dockerode without a limit',
  async *run({ place: open, quick }) {
    const place = await open();
    const count = quick ? 12 : 100;
    const flags = await withSandbox(place, (_task, id) => sameFlags(place.docker, id));
    const ours = await all(count, async () => (await ourExec(place, request(place), ['echo', 'ready'])).firstByteMs);
    const peer = await all(count, () => peerCold(place.docker, flags));
    const ratio = (of: (burst: Burst) => number) => ({
      ours: of(ours),
      baseline: of(peer),
      ratio: of(ours) / of(peer),
      n: 1,
    });
    yield judge(
      { figure: `wall of ${count}`, unit: 'ms', ...ratio((burst) => burst.wall) },
      { of: 'ratio', is: '<=', value: 0.95 },
    );
    yield judge(
      { figure: 'median ready', unit: 'ms', ...ratio((burst) => median(burst.ready)) },
      { of: 'ratio', is: '<=', value: 0.6 },
    );
    yield judge({ figure: 'p95 ready', unit: 'ms', ...ratio((burst) => quantile(burst.ready, 0.95)) }, null);
  },
};

async function all(count: number, one: () => Promise<number>): Promise<Burst> {
  let ready: readonly number[] = [];
  const wall = await timed(async () => void (ready = await Promise.all(Array.from({ length: count }, one))));
  return { wall, ready };
}
