import { execFile } from 'node:child_process';
import { Agent } from 'node:http';
import { promisify } from 'node:util';
import type { Bench } from '../bench.ts';
import { judge, quantile, type Figure } from '../figure.ts';
import { timed } from '../interleave.ts';
import { withSandbox } from '../place.ts';
import { startWorker } from '../worker.ts';
import { askedOver } from '../asked-over.ts';

const execute = promisify(execFile);
/** Programs of the peer that run at once: each takes tens of megabytes. */
const mostPrograms = 50;

/** One command over HTTP by so many callers at once, each of which waits for its answer before it asks again. */
export const callers: Bench = {
  name: 'callers',
  about: 'one command over HTTP by 1, 50 and 500 callers at once, in milliseconds at p50 and p99, beside docker exec',
  async *run({ place: open, quick }) {
    const place = await open();
    const service = await startWorker('service', [place.image]);
    const { url = '', token = '' } = service.said;
    const agent = new Agent({ keepAlive: true });
    try {
      const ours = (): Promise<void> => askedOver(agent, { url, token, accept: 'application/json' });
      for (const count of [1, 50, 500]) {
        const each = roundsOf(count, quick);
        await latencies(count, 1, ours);
        const samples = await latencies(count, each, ours);
        const peer =
          count > mostPrograms
            ? null
            : await withSandbox(place, (_, id) =>
                latencies(count, each, async () => void (await execute('docker', ['exec', id, 'echo', 'x']))),
              );
        yield* [0.5, 0.99].map((at) => figureOf(count, at, { samples, peer }));
      }
    } finally {
      agent.destroy();
      await service.close();
    }
  },
};

const roundsOf = (count: number, quick: boolean): number => Math.ceil((quick ? 50 : 400) / count) + 1;

/** Milliseconds of each call. */
async function latencies(count: number, each: number, call: () => Promise<void>): Promise<readonly number[]> {
  const one = async (): Promise<readonly number[]> => {
    const samples: number[] = [];
    for (let index = 0; index < each; index += 1) samples.push(await timed(call));
    return samples;
  };
  return (await Promise.all(Array.from({ length: count }, one))).flat();
}

interface Compared {
  readonly samples: readonly number[];
  readonly peer: readonly number[] | null;
}

function figureOf(count: number, at: number, { samples, peer }: Compared): Figure {
  const ours = quantile(samples, at);
  const baseline = peer === null ? null : quantile(peer, at);
  const ratio = baseline === null ? null : ours / baseline;
  const figure = `${count} ${count === 1 ? 'caller' : 'callers'} p${at * 100}`;
  return judge({ figure, unit: 'ms', ours, baseline, ratio, n: samples.length }, null);
}
