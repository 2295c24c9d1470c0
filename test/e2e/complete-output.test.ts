/** Many outputs at once, over many sandboxes: none that claims to be complete is short. `scripts/load.ts` runs it in full. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { report } from '../counts.ts';
import type { Exit, SandboxRequest } from '../../src/service/api.ts';
import type { Caisson } from '../../src/service/caisson.ts';
import { makeHome } from './home.ts';

const outputs = Number(process.env['CAISSON_LOAD_OUTPUTS'] ?? 80);
const sandboxes = Number(process.env['CAISSON_LOAD_SANDBOXES'] ?? 20);
const rounds = Number(process.env['CAISSON_LOAD_ROUNDS'] ?? 1);
/** Outputs on the direct path, which the engine carries. */
const largeOutputs = Number(process.env['CAISSON_LOAD_LARGE'] ?? 8);
/** Processes for each processor that do nothing but use it. */
const busy = Number(process.env['CAISSON_LOAD_BUSY'] ?? 0);

interface Result {
  readonly exit: Exit;
  readonly whole: boolean;
}

interface HashedCommand {
  readonly command: readonly [string, ...string[]];
  readonly hash: string;
}

function wantedOf(bytes: number): HashedCommand {
  return {
    command: ['sh', '-c', `head -c ${bytes} /dev/zero | tr '\\0' x`],
    hash: createHash('sha256').update(Buffer.alloc(bytes, 'x')).digest('hex'),
  };
}

type One = (caisson: Caisson, request: SandboxRequest, wanted: HashedCommand) => Promise<Result>;

async function byRun(caisson: Caisson, request: SandboxRequest, { command, hash }: HashedCommand): Promise<Result> {
  const { exit, stdout } = await caisson.run({ ...request, command });
  return { exit, whole: createHash('sha256').update(stdout.text).digest('hex') === hash };
}

async function byExec(
  caisson: Caisson,
  request: SandboxRequest,
  { command, hash: wanted }: HashedCommand,
): Promise<Result> {
  const running = await caisson.exec({ ...request, command });
  const hash = createHash('sha256');
  running.stdout.on('data', (chunk: Buffer) => hash.update(chunk));
  const ended = new Promise((resolve) => running.stdout.once('end', resolve));
  running.stderr.resume();
  const [exit] = await Promise.all([running.exit, ended]);
  return { exit, whole: hash.digest('hex') === wanted };
}

interface Load {
  readonly count: number;
  readonly bytes: number;
  readonly settings: Readonly<Record<string, unknown>>;
}

async function loaded(one: One, { count, bytes, settings }: Load): Promise<void> {
  await using home = await makeHome();
  const caisson = await home.open({ 'exec.output_bytes': 2 * bytes, ...settings });
  const tasks = Array.from({ length: Math.min(sandboxes, Math.ceil(count / 4)) }, (_, index) => `load-${index}`);
  const wanted = wantedOf(bytes);
  try {
    await Promise.all(tasks.map((taskId) => caisson.sandboxes.create({ taskId })));
    for (let round = 0; round < rounds; round += 1) {
      const results = await Promise.all(
        Array.from({ length: count }, (_, index) =>
          one(caisson, { taskId: tasks[index % tasks.length] ?? '' }, wanted),
        ),
      );
      const complete = results.filter(({ exit }) => exit.stdout.complete === true);
      const short = complete.filter(({ whole, exit }) => !whole || exit.stdout.bytes !== bytes);
      const unnoted = results.filter(({ exit }) => exit.stdout.complete !== true && exit.notes.length === 0);
      const background = results.filter(({ exit }) => exit.backgroundOpen);
      report({ bytes, outputs: results.length, complete: complete.length, short: short.length });
      expect([short.length, unnoted.length, background.length]).toEqual([0, 0, 0]);
      // One output that a busy machine has cut is more than a hundredth of few.
      expect(complete.length).toBeGreaterThanOrEqual(Math.floor(0.99 * count) - 1);
    }
  } finally {
    await Promise.all(tasks.map((taskId) => caisson.sandboxes.remove(taskId)));
  }
}

it.each([
  ['run', byRun],
  ['exec', byExec],
] as const)(
  `${outputs} outputs of 1 MB over ${sandboxes} sandboxes by %s are complete, or say that they are not`,
  { timeout: 600_000 },
  async (_name, one) => await loaded(one, { count: outputs, bytes: 1_000_000, settings: {} }),
);

it(
  `${largeOutputs} outputs of 8 MiB by the direct path are complete on a busy processor, or say that they are not`,
  { timeout: 600_000 },
  async () => {
    const burners = Array.from({ length: busy * availableParallelism() }, burn);
    try {
      await loaded(byExec, { count: largeOutputs, bytes: 8 * 2 ** 20, settings: { 'exec.lanes': false } });
    } finally {
      for (const burner of burners) burner.kill('SIGKILL');
    }
  },
);

function burn(): ChildProcess {
  return spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
}
