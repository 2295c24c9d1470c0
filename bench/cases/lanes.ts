import { availableParallelism } from 'node:os';
import { bareCommand } from '../bare.ts';
import type { Bench } from '../bench.ts';
import { figuresOf, judge, quantile } from '../figure.ts';
import { inRow, interleave, timed } from '../interleave.ts';
import { ourExec } from '../ours.ts';
import { peerExec } from '../peer.ts';
import { type BenchPlace, withSandbox } from '../place.ts';

/** A lane's shell decides how fast it is: busybox's forks faster than Debian's. */
const leastTimes = (image: string): number => (image.includes('busybox') || image.startsWith('bb:') ? 40 : 33);

/** Commands through warm shells, one at a time and many at once. */
export const lanes: Bench = {
  name: 'lanes',
  about: 'commands through lanes, at 1, 16 and 64 callers, against dockerode create, start, inspect',
  async *run({ place: open, quick }) {
    const place = await open();
    for (const command of [['true'], ['echo', 'hi']] as const) {
      const samples = await withSandbox(place, (taskId, id) => oneByOne(place, { taskId, id, command, quick }));
      yield* figuresOf(command.join(' '), samples, { unit: 'ms', target: { of: 'ratio', is: '<=', value: 0.06 } });
    }
    for (const callers of [16, 64]) {
      // A limit on processors would bound the lane alone: most of the peer's work is the engine's, outside of the sandbox.
      const { ours, peer, p95, bare } = await withSandbox(
        place,
        (taskId, id) => atOnce(place, { taskId, id, callers, quick }),
        { limits: { diskBytes: null, cpuCores: null } },
      );
      const reported = { figure: `${callers} callers`, unit: 'exec/s', ours, baseline: peer, ratio: ours / peer, n: 1 };
      yield judge(reported, { of: 'ratio', is: '>=', value: leastTimes(place.image) });
      const alone = { figure: `${callers} callers, shells alone`, baseline: bare, ratio: ours / bare };
      yield judge({ ...reported, ...alone }, null);
      yield judge({ figure: `${callers} callers p95`, unit: 'ms', ours: p95, baseline: null, ratio: null, n: 1 }, null);
    }
  },
};

interface Subject {
  readonly taskId: string;
  readonly id: string;
  readonly quick: boolean;
}

async function oneByOne(place: BenchPlace, subject: Subject & { readonly command: readonly [string, ...string[]] }) {
  const { taskId, id, command, quick } = subject;
  const container = place.docker.getContainer(id);
  const ours = async (): Promise<number> => (await ourExec(place, { taskId, existing: true }, command)).endMs;
  const peer = (): Promise<number> => timed(() => peerExec(place.docker, container, command));
  for (let warm = 0; warm < (quick ? 50 : 500); warm++) await ours(); // what is hot is compiled then, as in a service
  return await interleave(
    inRow(10, ours),
    inRow(10, peer),
    quick ? { warmUp: 1, rounds: 4 } : { warmUp: 2, rounds: 20 },
  );
}

async function atOnce(place: BenchPlace, subject: Subject & { readonly callers: number }) {
  const { taskId, id, callers, quick } = subject;
  const container = place.docker.getContainer(id);
  const command = ['sh', '-c', 'true'] as const;
  const our = async (): Promise<number> => (await ourExec(place, { taskId, existing: true }, command)).endMs;
  await rate(callers, quick ? callers * 4 : 1_500, our); // opens the lanes that the load wants, and compiles what is hot
  const peer = await rate(callers, quick ? callers : callers * 2, () =>
    timed(() => peerExec(place.docker, container, command)),
  );
  const ours = await rate(callers, quick ? 400 : 3_000, our);
  const [workers, each] = [availableParallelism(), quick ? 200 : 1_000];
  const bareMs = await timed(() => peerExec(place.docker, container, bareCommand(command, { each, workers })));
  const bare = ((workers * each) / bareMs) * 1000;
  return { ours: ours.perSecond, peer: peer.perSecond, p95: ours.p95, bare };
}

/** `count` commands by so many callers, each starting its next when its last has ended. */
async function rate(
  callers: number,
  count: number,
  one: () => Promise<number>,
): Promise<{ perSecond: number; p95: number }> {
  const latencies: number[] = [];
  let left = count;
  const caller = async (): Promise<void> => {
    while (left-- > 0) latencies.push(await one());
  };
  const wallMs = await timed(() => Promise.all(Array.from({ length: callers }, caller)));
  return { perSecond: (latencies.length / wallMs) * 1000, p95: quantile(latencies, 0.95) };
}
