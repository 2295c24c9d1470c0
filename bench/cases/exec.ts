import type { Bench } from '../bench.ts';
import { figuresOf } from '../figure.ts';
import { interleave, timed } from '../interleave.ts';
import { ourExec } from '../ours.ts';
import { peerExec } from '../peer.ts';
import { withSandbox } from '../place.ts';

/** Runs one command after the other, equal on both sides, in one container. */
export const exec: Bench = {
  name: 'exec',
  about: 'one command on the direct path in a running sandbox, against dockerode create, start, inspect',
  async *run({ place: open, quick }) {
    const place = await open();
    const rounds = quick ? { warmUp: 2, rounds: 10 } : { warmUp: 5, rounds: 50 };
    const samples = await withSandbox(place, async (taskId, id) => {
      const container = place.docker.getContainer(id);
      const ours = async (): Promise<number> =>
        (await ourExec(place, { taskId, existing: true }, ['echo', 'x'], 'direct')).endMs;
      return await interleave(ours, () => timed(() => peerExec(place.docker, container, ['echo', 'x'])), rounds);
    });
    yield* figuresOf('exec', samples, { unit: 'ms', target: { of: 'ratio', is: '<=', value: 1.05 } });
  },
};
