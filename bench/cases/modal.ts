import type { Bench } from '../bench.ts';
import { figuresOf } from '../figure.ts';
import { inRow, interleave, timed } from '../interleave.ts';
import { type ModalPlace, withModalPlace } from '../modal-place.ts';
import { ourExec } from '../ours.ts';

const roundTripMs = 40;
const command = ['echo', 'x'] as const;

/** The service is the emulator on this machine, 40 ms away: what counts are round trips. */
export const modal: Bench = {
  name: 'modal',
  about: `commands at Modal over ${roundTripMs} ms a round trip, against the exec of its own SDK`,
  async *run({ quick }) {
    const rounds = quick ? { warmUp: 1, rounds: 4 } : { warmUp: 4, rounds: 25 };
    yield* await withModalPlace(roundTripMs, async (place) => {
      const ours = (path: 'fastest' | 'direct') => async (): Promise<number> =>
        (await ourExec(place, { taskId: place.task, existing: true }, command, path)).endMs;
      for (let warm = 0; warm < 10; warm += 1) await ours('fastest')();
      const lane = await interleave(
        inRow(3, ours('fastest')),
        inRow(3, () => timed(() => bySdk(place))),
        rounds,
      );
      const direct = await interleave(ours('direct'), () => timed(() => bySdk(place)), rounds);
      return [
        // One round trip, and what the command and its shell take on this machine.
        ...figuresOf('lane', lane, { unit: 'ms', target: { of: 'ours', is: '<=', value: roundTripMs + 20 } }),
        ...figuresOf('direct', direct, { unit: 'ms', target: null }),
      ];
    });
  },
};

async function bySdk({ handle }: ModalPlace): Promise<void> {
  const process = await handle.exec([...command]);
  await Promise.all([process.stdout.readText(), process.stderr.readText(), process.wait()]);
}
