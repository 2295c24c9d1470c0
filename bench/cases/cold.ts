import type { Bench } from '../bench.ts';
import { figuresOf } from '../figure.ts';
import { interleave } from '../interleave.ts';
import { ourExec } from '../ours.ts';
import { peerCold, sameFlags } from '../peer.ts';
import { request, untilGone, withSandbox } from '../place.ts';

/** From nothing to the first output of a command. */
export const cold: Bench = {
  name: 'cold',
  about: 'a new sandbox until its first output, against dockerode create, start, exec with the same flags',
  async *run({ place: open, quick }) {
    const place = await open();
    const flags = await withSandbox(place, (_task, id) => sameFlags(place.docker, id));
    const ours = async (): Promise<number> => {
      const { firstByteMs } = await ourExec(place, request(place), ['echo', 'ready']);
      await untilGone(place);
      return firstByteMs;
    };
    const peer = async (): Promise<number> => {
      const { container, readyMs } = await peerCold(place.docker, flags);
      await container.remove({ force: true });
      return readyMs;
    };
    const rounds = quick ? { warmUp: 1, rounds: 5 } : { warmUp: 2, rounds: 20 };
    const samples = await interleave(ours, peer, rounds);
    yield* figuresOf('first output', samples, { unit: 'ms', target: { of: 'ratio', is: '<=', value: 1 } });
  },
};
