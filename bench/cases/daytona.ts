import type { Bench } from '../bench.ts';
import { type DaytonaPlace, withDaytonaPlace } from '../daytona-place.ts';
import { figuresOf } from '../figure.ts';
import { inRow, interleave, timed } from '../interleave.ts';
import { ourExec } from '../ours.ts';

const roundTripMs = 40;
const command = ['echo', 'x'] as const;

/** The service is the emulator on this machine, 40 ms away: what counts are round trips. */
export const daytona: Bench = {
  name: 'daytona',
  about: `commands at Daytona over ${roundTripMs} ms a round trip, against the exec of its own SDK`,
  async *run({ quick }) {
    const rounds = quick ? { warmUp: 1, rounds: 4 } : { warmUp: 4, rounds: 25 };
    yield* await withDaytonaPlace(roundTripMs, async (place) => {
      const ours = (path: 'fastest' | 'direct') => async (): Promise<number> =>
        (await ourExec(place, { taskId: place.task, existing: true }, command, path)).endMs;
      for (let warm = 0; warm < 10; warm += 1) await ours('fastest')();
      const peer = (): Promise<number> => timed(() => bySdk(place));
      const lane = await interleave(inRow(3, ours('fastest')), inRow(3, peer), rounds);
      const direct = await interleave(ours('direct'), peer, rounds);
      return [
        // One round trip, and what the command, its shell and its frames take on this machine.
        ...figuresOf('lane', lane, { unit: 'ms', target: { of: 'ours', is: '<=', value: roundTripMs + 40 } }),
        ...figuresOf('direct', direct, { unit: 'ms', target: null }),
      ];
    });
  },
};

async function bySdk({ handle }: DaytonaPlace): Promise<void> {
  await handle.process.executeCommand(command.join(' '));
}
