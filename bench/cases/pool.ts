import type { Bench } from '../bench.ts';
import { figuresOf, judge, quantile, type Samples } from '../figure.ts';
import { interleave, type Rounds, type Sample } from '../interleave.ts';
import { ourExec } from '../ours.ts';
import { peerCold, sameFlags } from '../peer.ts';
import { type BenchPlace, withSandbox } from '../place.ts';
import { openPooled, pooledRequest } from '../pooled.ts';
import { startWorker } from '../worker.ts';

const ready = 4;

/** From a task without a sandbox to the first output of its command, where a member of the pool is ready. */
export const pool: Bench = {
  name: 'pool',
  about:
    'a claim of the pool until the first output: same process, another one, over HTTP; against dockerode as in cold',
  async *run({ place: open, quick }) {
    const { image } = await open();
    const rounds = quick ? { warmUp: 1, rounds: 5 } : { warmUp: 2, rounds: 20 };
    const filling = await openPooled(image, 1);
    try {
      const cold = await coldPeer(filling);
      const own = await interleave(inProcess(filling), cold, rounds);
      yield* figuresOf('same process', own, { unit: 'ms', target: { of: 'ratio', is: '<=', value: 0.03 } });
      const other = await byOther(filling, cold, rounds);
      yield* figuresOf('other process', other, { unit: 'ms', target: { of: 'ratio', is: '<=', value: 0.35 } });
      await filling.caisson.pool.drain();
      const served = await overHttp(image, cold, quick ? rounds : { warmUp: 3, rounds: 40 });
      const [middle] = figuresOf('http', served, { unit: 'ms', target: { of: 'ours', is: '<=', value: 20 } });
      if (middle !== undefined) yield middle;
      yield p95Of(served);
    } finally {
      await filling.caisson.pool.drain();
      await filling.close();
    }
  },
};

let tasks = 0;
const nextTask = (): string => `claim-${(tasks += 1)}`;

/** Without the directories of a persistent sandbox, as in the bench `cold`: those of the one that is copied are gone by then. */
async function coldPeer(place: BenchPlace): Promise<Sample> {
  const flags = await withSandbox(place, (_task, id) => sameFlags(place.docker, id));
  return async () => {
    const { container, readyMs } = await peerCold(place.docker, flags);
    await container.remove({ force: true });
    return readyMs;
  };
}

function inProcess(place: BenchPlace): Sample {
  return async () => {
    const taskId = nextTask();
    await place.caisson.pool.fill();
    const { firstByteMs } = await ourExec(place, { ...pooledRequest(place.image), taskId }, ['echo', 'ready']);
    await place.caisson.sandboxes.remove(taskId);
    return firstByteMs;
  };
}

async function byOther(place: BenchPlace, cold: Sample, rounds: Rounds): Promise<Samples> {
  const claimer = await startWorker('claimer', [place.home, place.image]);
  try {
    const ours = async (): Promise<number> => {
      const taskId = nextTask();
      await place.caisson.pool.fill();
      const ms = await claimer.round(1, taskId);
      await place.caisson.sandboxes.remove(taskId);
      return ms;
    };
    return await interleave(ours, cold, rounds);
  } finally {
    await claimer.close();
  }
}

/** The service makes members anew between the rounds. */
async function overHttp(image: string, cold: Sample, rounds: Rounds): Promise<Samples> {
  const service = await startWorker('pooled-service', [image, String(ready)]);
  try {
    const { url = '', token = '' } = service.said;
    const client = await startWorker('pool-client', [url, token, image]);
    try {
      await service.round(1, '');
      const ours = async (): Promise<number> => {
        const taskId = nextTask();
        const ms = await client.round(1, taskId);
        await service.round(1, taskId);
        return ms;
      };
      return await interleave(ours, cold, rounds);
    } finally {
      await client.close();
    }
  } finally {
    await service.close();
  }
}

function p95Of({ ours, baseline }: Samples) {
  const [own, peer] = [quantile(ours, 0.95), quantile(baseline, 0.95)];
  const figure = { figure: 'http p95', unit: 'ms', ours: own, baseline: peer, ratio: own / peer, n: ours.length };
  return judge(figure, { of: 'ours', is: '<=', value: 40 });
}
