import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { bareCommand } from '../bare.ts';
import type { Bench } from '../bench.ts';
import { type Figure, figuresOf, judge } from '../figure.ts';
import { inRow, interleave, timed } from '../interleave.ts';
import { lanesOpen } from '../kubernetes-lanes.ts';
import { type KubernetesPlace, withKubernetesPlace } from '../kubernetes-place.ts';
import { ourExec } from '../ours.ts';

const execute = promisify(execFile);
const command = ['echo', 'x'] as const;
const atOnce = 20;

export const kubernetes: Bench = {
  name: 'kubernetes',
  about: 'commands and sandboxes in a cluster of one node, against raw pods and commands by the same transport',
  async *run({ quick }) {
    yield* await withKubernetesPlace(async (place) => [
      ...(await commands(place, quick)),
      ...(await creations(place, quick)),
      await burst(place),
      ...(quick ? [] : await lanesOpen(place)),
    ]);
  },
};

async function commands({ caisson, raw }: KubernetesPlace, quick: boolean): Promise<readonly Figure[]> {
  const rounds = quick ? { warmUp: 1, rounds: 5 } : { warmUp: 3, rounds: 30 };
  await caisson.sandboxes.create({ taskId: 'bench' });
  const pod = await raw.create();
  await raw.ready(pod);
  const ours = (path: 'fastest' | 'direct') => async (): Promise<number> =>
    (await ourExec({ caisson }, { taskId: 'bench', existing: true }, command, path)).endMs;
  const peer = (): Promise<number> => timed(() => raw.exec(pod, command));
  const bare = shellAlone();
  for (let warm = 0; warm < (quick ? 20 : 300); warm += 1) await ours('fastest')(); // what is hot is compiled then, as in a service
  const lane = await interleave(inRow(5, ours('fastest')), inRow(5, peer), rounds);
  const alone = await interleave(inRow(5, ours('fastest')), bare, rounds);
  const direct = await interleave(ours('direct'), peer, rounds);
  await caisson.sandboxes.remove('bench');
  await raw.remove(pod);
  return [
    ...figuresOf('lane', lane, { unit: 'ms', target: { of: 'ratio', is: '<=', value: 0.08 } }),
    ...figuresOf('lane, shell alone', alone, { unit: 'ms', target: null }),
    ...figuresOf('direct', direct, { unit: 'ms', target: null }),
  ];
}

/** On this host, without any cluster: one command of a row. */
function shellAlone(): () => Promise<number> {
  const each = 20;
  const [program, ...args] = bareCommand(command, { each, workers: 1 });
  return async () => (await timed(() => execute(program, args))) / each;
}

async function creations({ caisson, raw }: KubernetesPlace, quick: boolean): Promise<readonly Figure[]> {
  const ours = async (): Promise<number> => (await ourExec({ caisson }, { persistent: false }, command)).firstByteMs;
  const peer = async (): Promise<number> => {
    let pod = '';
    const ms = await timed(async () => {
      pod = await raw.create();
      await raw.ready(pod);
    });
    await raw.remove(pod);
    return ms;
  };
  const samples = await interleave(ours, peer, quick ? { warmUp: 1, rounds: 3 } : { warmUp: 1, rounds: 10 });
  return figuresOf('first output', samples, { unit: 'ms', target: null });
}

/** From the first request to the last output. */
async function burst({ caisson, raw }: KubernetesPlace): Promise<Figure> {
  const all = <T>(once: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: atOnce }, once));
  const ours = await timed(() => all(() => ourExec({ caisson }, { persistent: false }, command)));
  const baseline = await timed(() => all(async () => raw.ready(await raw.create())));
  const figure = { figure: `${atOnce} at once`, unit: 'ms', ours, baseline, ratio: ours / baseline, n: 1 };
  return judge(figure, null);
}
