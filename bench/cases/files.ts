import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Bench } from '../bench.ts';
import { makeSets } from '../file-sets.ts';
import { figuresOf, type Figure, type Target } from '../figure.ts';
import { interleave, timed, type Rounds } from '../interleave.ts';
import { ourExec } from '../ours.ts';
import { withSandbox, type BenchPlace } from '../place.ts';

const execute = promisify(execFile);

interface Way {
  readonly place: BenchPlace;
  readonly task: string;
  readonly container: string;
  readonly host: string;
  readonly rounds: Rounds;
}

/** Both write to the container's own layer: `docker cp` writes beneath tmpfs mounts, where it is hidden. */
export const files: Bench = {
  name: 'files',
  about: '5,000 files of 4 KB and one of 256 MB, in and out, against docker cp',
  async *run({ place: openPlace, quick }) {
    const place = await openPlace();
    const host = await mkdtemp(join(tmpdir(), 'caisson-bench-files-'));
    try {
      await makeSets(host, quick ? { count: 500, megabytes: 32 } : { count: 5000, megabytes: 256 });
      const figures = await withSandbox(place, async (task, container) => {
        await ourExec(place, { taskId: task, existing: true }, ['mkdir', '-p', '/srv']);
        const way = {
          place,
          task,
          container,
          host,
          rounds: quick ? { warmUp: 0, rounds: 2 } : { warmUp: 1, rounds: 5 },
        };
        const many = await both(way, 'many', {
          up: { of: 'ratio', is: '<=', value: 0.6 },
          down: { of: 'ratio', is: '<=', value: 0.7 },
        });
        return [...many, ...(await both(way, 'one', { up: null, down: null }))];
      });
      yield* figures;
    } finally {
      await rm(host, { recursive: true, force: true });
    }
  },
};

async function both(
  way: Way,
  set: string,
  targets: { readonly up: Target | null; readonly down: Target | null },
): Promise<readonly Figure[]> {
  const up = await interleave(
    (round) =>
      clock(() =>
        way.place.caisson.files.copyIn({
          task: way.task,
          source: join(way.host, set),
          target: `/srv/ours-${set}-${round}`,
        }),
      ),
    (round) =>
      clock(() => execute('docker', ['cp', join(way.host, set), `${way.container}:/srv/peer-${set}-${round}`])),
    way.rounds,
  );
  const down = await interleave(
    (round) =>
      clock(() =>
        way.place.caisson.files.copyOut({
          task: way.task,
          source: `/srv/ours-${set}-0`,
          target: join(way.host, `ours-${set}-${round}`),
        }),
      ),
    (round) =>
      clock(() =>
        execute('docker', ['cp', `${way.container}:/srv/peer-${set}-0`, join(way.host, `peer-${set}-${round}`)]),
      ),
    way.rounds,
  );
  return [
    ...figuresOf(`${set} in`, up, { unit: 'ms', target: targets.up }),
    ...figuresOf(`${set} out`, down, { unit: 'ms', target: targets.down }),
  ];
}

/** What earlier rounds left to the disks must not be paid by the next one. */
async function clock(work: () => Promise<unknown>): Promise<number> {
  await execute('sync');
  return await timed(work);
}
