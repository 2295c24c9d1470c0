import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open as openDocker } from '../../backends/docker/backend.ts';
import { openJournal } from '../../src/journal/journal.ts';
import type { Journal } from '../../src/journal/types.ts';
import { LanedSandbox } from '../../src/exec/lane/laned.ts';
import { checkRequest } from '../../src/exec/request.ts';
import { startExec } from '../../src/exec/start.ts';
import type { ExecRequest } from '../../src/exec/types.ts';
import type { Where } from '../../src/values/exec-event.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import type { Bench } from '../bench.ts';
import { figuresOf } from '../figure.ts';
import { interleave, timed } from '../interleave.ts';
import { withSandbox, type BenchPlace } from '../place.ts';

const callers = 16;

/** Compares commands through lanes with a record of each and without. */
export const journal: Bench = {
  name: 'journal',
  about: 'execs through lanes at 16 callers, recorded, against the same without a record',
  async *run({ place: open, quick }) {
    const place = await open();
    const count = quick ? 200 : 1_000;
    const rounds = quick ? { warmUp: 1, rounds: 2 } : { warmUp: 2, rounds: 10 };
    const samples = await withSandbox(
      place,
      (_task, container) =>
        inBoth(place, container, async (sandbox, kept) => {
          const perSecond = (record: Journal | null) => async () =>
            (count / (await timed(() => execs(sandbox, record, count)))) * 1_000;
          return await interleave(perSecond(kept), perSecond(null), rounds);
        }),
      { limits: { diskBytes: null, cpuCores: null } },
    );
    yield* figuresOf('recorded', samples, { unit: 'exec/s', target: { of: 'ratio', is: '>=', value: 0.9 } });
  },
};

/** The container with lanes of our own, and a journal. */
async function inBoth<T>(
  place: BenchPlace,
  container: string,
  work: (sandbox: LanedSandbox, journal: Journal) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'caisson-bench-journal-'));
  const instance = (await readFile(join(place.home, 'instance'), 'utf8')).trim();
  const backend = openDocker({ env: process.env, instance });
  const sandbox = new LanedSandbox(await backend.attach({ v: 1, container }), null);
  const bounds = { spillBytes: 64 * 2 ** 20, storeBytes: 512 * 2 ** 20, retentionMs: 3_600_000 };
  const { store } = await openStore(join(directory, 'state.db'));
  const kept = await openJournal(join(directory, 'journal'), { holder: 'bench', records: store.records, ...bounds });
  try {
    return await work(sandbox, kept);
  } finally {
    sandbox.close();
    await kept.close();
    await store.close();
    await backend.close();
    await rm(directory, { recursive: true });
  }
}

async function execs(sandbox: LanedSandbox, kept: Journal | null, count: number): Promise<void> {
  let left = count;
  const caller = async (): Promise<void> => {
    while (left-- > 0) await one(sandbox, kept);
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

async function one(sandbox: LanedSandbox, kept: Journal | null): Promise<void> {
  const request: ExecRequest = {
    execId: `exec_${randomBytes(12).toString('hex')}`,
    command: ['sh', '-c', 'echo hi'],
    cwd: '/',
    env: {},
    stdin: false,
    tty: null,
    timeoutMs: null,
    outputLimitBytes: null,
  };
  const { command, cwd } = request;
  const recorder = kept === null ? null : kept.record(request.execId, { command, cwd, where });
  const running = await startExec(sandbox, checkRequest(request), { where, recorder });
  running.stdout.resume();
  running.stderr.resume();
  await running.exit;
}

const where: Where = {
  backend: 'docker',
  taskId: 'bench',
  sandboxId: 'sbx_bench',
  host: null,
  resource: null,
  recreated: false,
};
