import type { Bench } from '../bench.ts';
import { figuresOf } from '../figure.ts';
import { interleave, timed } from '../interleave.ts';
import { ourExec } from '../ours.ts';
import { peerExec } from '../peer.ts';
import { withSandbox } from '../place.ts';
import { CaissonError } from '../../src/errors.ts';

const megabyte = 1_000_000;

export const output: Bench = {
  name: 'output',
  about: "256 MB on stdout, recorded and read, against dockerode's demuxStream",
  async *run({ place: open, quick }) {
    const place = await open();
    const bytes = (quick ? 64 : 256) * megabyte;
    const rounds = quick ? { warmUp: 1, rounds: 3 } : { warmUp: 1, rounds: 8 };
    const command = ['head', '-c', String(bytes), '/dev/zero'] as const;
    const samples = await withSandbox(place, async (taskId, id) => {
      const container = place.docker.getContainer(id);
      const ours = rate(bytes, () => ourExec(place, { taskId, existing: true }, command));
      return await interleave(
        ours,
        rate(bytes, () => peerExec(place.docker, container, command)),
        rounds,
      );
    });
    yield* figuresOf('stdout', samples, { unit: 'MB/s', target: { of: 'ratio', is: '>=', value: 1 } });
  },
};

/** A rate counts only when every byte came. */
function rate(wanted: number, work: () => Promise<{ readonly bytes: number }>): () => Promise<number> {
  return async () => {
    let got = 0;
    const ms = await timed(async () => void (got = (await work()).bytes));
    if (got !== wanted) throw new CaissonError('internal', `${got} of ${wanted} bytes came`);
    return wanted / megabyte / (ms / 1000);
  };
}
