import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Bench } from '../bench.ts';
import { figuresOf } from '../figure.ts';
import { interleave, timed } from '../interleave.ts';
import { ourExec } from '../ours.ts';
import { withSandbox } from '../place.ts';

const execute = promisify(execFile);

export const sync: Bench = {
  name: 'sync',
  about: '5,000 files of 4 KB: the first sync, and one after a single change, against docker cp of all of them',
  async *run({ place: openPlace, quick }) {
    const place = await openPlace();
    const host = await mkdtemp(join(tmpdir(), 'caisson-bench-sync-'));
    const rounds = quick ? { warmUp: 0, rounds: 2 } : { warmUp: 1, rounds: 5 };
    try {
      await mkdir(join(host, 'many'));
      for (let at = 0; at < (quick ? 500 : 5000); at += 1)
        await writeFile(join(host, 'many', `file-${at}`), Buffer.alloc(4096, `caisson ${at} `));
      const figures = await withSandbox(place, async (task, container) => {
        await ourExec(place, { taskId: task, existing: true }, ['mkdir', '-p', '/srv']);
        const source = join(host, 'many');
        const ours = (inside: string) => place.caisson.files.sync({ task, host: source, inside, direction: 'in' });
        const clock = async (work: () => Promise<unknown>): Promise<number> => {
          await execute('sync'); // what earlier rounds left to the disks must not be paid by the next one
          return await timed(work);
        };
        const peer = (round: number | string) =>
          clock(() => execute('docker', ['cp', source, `${container}:/srv/peer-${round}`]));
        const first = await interleave((round) => clock(() => ours(`/srv/ours-${round}`)), peer, rounds);
        await ours('/srv/kept');
        const changed = await interleave(
          async (round) => {
            await writeFile(join(source, 'file-7'), `changed ${round}`);
            return await clock(() => ours('/srv/kept'));
          },
          (round) => peer(`changed-${round}`),
          rounds,
        );
        return [
          ...figuresOf('first', first, { unit: 'ms', target: { of: 'ratio', is: '<=', value: 1 } }),
          ...figuresOf('one changed', changed, { unit: 'ms', target: { of: 'ratio', is: '<=', value: 0.5 } }),
        ];
      });
      yield* figures;
    } finally {
      await rm(host, { recursive: true, force: true });
    }
  },
};
