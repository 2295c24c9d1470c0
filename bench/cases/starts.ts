import type { Bench } from '../bench.ts';
import { figuresOf } from '../figure.ts';
import { interleave, timed } from '../interleave.ts';
import { ourExec } from '../ours.ts';
import { peerCold, peerExec, sameFlags } from '../peer.ts';
import { request, untilGone, withSandbox, type BenchPlace } from '../place.ts';

/** Ways to start that no other bench measures. Each has the engine's own exec, or its create and start, beside it. */
export const starts: Bench = {
  name: 'starts',
  about: 'create; the first command of a new sandbox; a text in a session; a detached process; against dockerode',
  async *run({ place: open, quick }) {
    const place = await open();
    const unit = { unit: 'ms', target: null };
    const few = quick ? { warmUp: 1, rounds: 5 } : { warmUp: 2, rounds: 20 };
    const many = quick ? { warmUp: 3, rounds: 20 } : { warmUp: 5, rounds: 50 };
    const flags = await withSandbox(place, (_task, id) => sameFlags(place.docker, id));
    const cold = async (): Promise<number> => {
      const { container, readyMs } = await peerCold(place.docker, flags);
      await container.remove({ force: true });
      return readyMs;
    };
    const created = await interleave(() => create(place), cold, few);
    yield* figuresOf('create', created, unit);
    const opened = await interleave(() => laneOpen(place), cold, few);
    yield* figuresOf('lane open', opened, unit);
    const [sessions, detached] = await withSandbox(place, async (taskId, id) => {
      const container = place.docker.getContainer(id);
      const peer = (): Promise<number> => timed(() => peerExec(place.docker, container, ['true']));
      const session = { taskId, name: 'bench' };
      const text = (): Promise<number> => timed(() => place.caisson.sessions.run({ ...session, text: 'true' }));
      const start = (): Promise<number> => startDetached(place, taskId);
      return [await interleave(text, peer, many), await interleave(start, peer, many)];
    });
    yield* figuresOf('session text', sessions, unit);
    yield* figuresOf('detached start', detached, unit);
  },
};

async function create(place: BenchPlace): Promise<number> {
  const taskId = `bench-${crypto.randomUUID().slice(0, 8)}`;
  const ms = await timed(() => place.caisson.sandboxes.create(request(place, { taskId })));
  await place.caisson.sandboxes.remove(taskId);
  await untilGone(place);
  return ms;
}

/** The first command of a sandbox that is there: it opens the lane. */
async function laneOpen(place: BenchPlace): Promise<number> {
  return await withSandbox(place, async (taskId) => {
    const { endMs } = await ourExec(place, { taskId, existing: true }, ['true']);
    return endMs;
  });
}

async function startDetached(place: BenchPlace, taskId: string): Promise<number> {
  const began = performance.now();
  const { id } = await place.caisson.processes.start({ taskId, existing: true, command: ['true'] });
  const ms = performance.now() - began;
  await place.caisson.processes.wait(id);
  return ms;
}
