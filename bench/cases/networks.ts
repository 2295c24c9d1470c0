import type { Bench } from '../bench.ts';
import { figuresOf, judge, median } from '../figure.ts';
import { interleave, timed } from '../interleave.ts';
import { type BenchPlace, request, untilGone } from '../place.ts';

type Mode = 'none' | 'filtered' | 'open';

/** One stays, so that the proxy runs as it does where sandboxes come and go. */
export const networks: Bench = {
  name: 'networks',
  about: 'creation of a sandbox whose network is filtered, or open with its rules, against one without a network',
  async *run({ place: open, quick }) {
    const place = await open();
    const rounds = quick ? { warmUp: 1, rounds: 5 } : { warmUp: 2, rounds: 20 };
    await place.caisson.sandboxes.create(request(place, { taskId: 'stays', network: 'filtered' }));
    const others = await containersOf(place);
    const created = (network: Mode) => async (): Promise<number> => {
      const ms = await timed(
        async () => await place.caisson.sandboxes.create(request(place, { taskId: 'new', network })),
      );
      await place.caisson.sandboxes.remove('new');
      await untilGone({ ...place, others });
      return ms;
    };
    try {
      const filtered = await interleave(created('filtered'), created('none'), rounds);
      yield* figuresOf('filtered', filtered, { unit: 'ms', target: null });
      const above = median(filtered.ours) - median(filtered.baseline);
      yield judge(
        {
          figure: 'filtered, above none',
          unit: 'ms',
          ours: above,
          baseline: null,
          ratio: null,
          n: filtered.ours.length,
        },
        { of: 'ours', is: '<=', value: 150 },
      );
      const opened = await interleave(created('open'), created('none'), rounds);
      yield* figuresOf('open', opened, { unit: 'ms', target: null });
    } finally {
      await place.caisson.sandboxes.remove('stays');
    }
  },
};

async function containersOf({ docker, others }: BenchPlace): Promise<ReadonlySet<string>> {
  const there = await docker.listContainers({ all: true, filters: { label: ['caisson.instance'] } });
  return new Set([...others, ...there.map(({ Id }) => Id)]);
}
