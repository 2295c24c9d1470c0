import type { Bench } from '../bench.ts';
import { figuresOf, judge, median } from '../figure.ts';
import { interleave } from '../interleave.ts';
import { startWorker, type Worker } from '../worker.ts';

const clients = 16;

export const http: Bench = {
  name: 'http',
  about:
    'one command over HTTP, as a stream and as JSON, against the library in a process of its own; 16 clients at once',
  async *run({ place: open, quick }) {
    const { image } = await open();
    const workers: Worker[] = [];
    const start = async (...[name, args]: Parameters<typeof startWorker>): Promise<Worker> => {
      const worker = await startWorker(name, args);
      workers.unshift(worker);
      return worker;
    };
    try {
      const library = await start('library', [image]);
      const { url = '', token = '' } = (await start('service', [image])).said;
      const client = await start('client', [url, token]);
      const rounds = quick ? { warmUp: 20, rounds: 40 } : { warmUp: 200, rounds: 300 };
      const compare = (times: number, accept: string, how: typeof rounds) =>
        interleave(
          () => client.round(times, accept),
          () => library.round(times, ''),
          how,
        );
      const streamed = await compare(1, 'application/x-ndjson', rounds);
      yield* figuresOf('stream', streamed, { unit: 'ms', target: null });
      const above = median(streamed.ours) - median(streamed.baseline);
      yield judge(
        { figure: 'stream, above', unit: 'ms', ours: above, baseline: null, ratio: null, n: streamed.ours.length },
        { of: 'ours', is: '<=', value: 1.5 },
      );
      yield* figuresOf('json', await compare(1, 'application/json', rounds), { unit: 'ms', target: null });
      const many = await compare(clients, 'application/x-ndjson', {
        warmUp: quick ? 10 : 60,
        rounds: quick ? 20 : 100,
      });
      yield judge(
        {
          figure: `${clients} clients`,
          unit: 'execs/s',
          n: many.ours.length,
          ratio: median(many.baseline) / median(many.ours),
          ours: (clients * 1000) / median(many.ours),
          baseline: (clients * 1000) / median(many.baseline),
        },
        { of: 'ratio', is: '>=', value: 0.7 },
      );
    } finally {
      for (const worker of workers) await worker.close();
    }
  },
};
