/** Many outputs at once, over many sandboxes: none that claims to be complete is short. `scripts/load.ts` runs it in full. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { report } from '../counts.ts';
import type { Exit, SandboxRequest } from '../../src/service/api.ts';
import type { Caisson } from '../../src/service/caisson.ts';
import { makeHome } from './home.ts';

const outputs = Number(process.env['CAISSON_LOAD_OUTPUTS'] ?? 80);
const sandboxes = Number(process.env['CAISSON_LOAD_SANDBOXES'] ?? 20);
const rounds = Number(process.env['CAISSON_LOAD_ROUNDS'] ?? 1);
const bytes = 1_000_000;
const wanted = createHash('sha256').update(Buffer.alloc(bytes, 'x')).digest('hex');
const command = ['sh', '-c', `head -c ${bytes} /dev/zero | tr '\\0' x`] as const;

interface Result {
  readonly exit: Exit;
  readonly whole: boolean;
}

async function byRun(caisson: Caisson, request: SandboxRequest): Promise<Result> {
  const { exit, stdout } = await caisson.run({ ...request, command });
  return { exit, whole: createHash('sha256').update(stdout.text).digest('hex') === wanted };
}

async function byExec(caisson: Caisson, request: SandboxRequest): Promise<Result> {
  const running = await caisson.exec({ ...request, command });
  const hash = createHash('sha256');
  running.stdout.on('data', (chunk: Buffer) => hash.update(chunk));
  const ended = new Promise((resolve) => running.stdout.once('end', resolve));
  running.stderr.resume();
  const [exit] = await Promise.all([running.exit, ended]);
  return { exit, whole: hash.digest('hex') === wanted };
}

it.each([
  ['run', byRun],
  ['exec', byExec],
] as const)(
  `${outputs} outputs of 1 MB over ${sandboxes} sandboxes by %s are complete, or say that they are not`,
  { timeout: 600_000 },
  async (_name, one) => {
    await using home = await makeHome();
    const caisson = await home.open({ 'exec.output_bytes': 2 * bytes });
    const tasks = Array.from({ length: sandboxes }, (_, index) => `load-${index}`);
    try {
      await Promise.all(tasks.map((taskId) => caisson.sandboxes.create({ taskId })));
      for (let round = 0; round < rounds; round += 1) {
        const results = await Promise.all(
          Array.from({ length: outputs }, (_, index) => one(caisson, { taskId: tasks[index % sandboxes] ?? '' })),
        );
        const complete = results.filter(({ exit }) => exit.stdout.complete === true);
        const short = complete.filter(({ whole, exit }) => !whole || exit.stdout.bytes !== bytes);
        const unnoted = results.filter(({ exit }) => exit.stdout.complete !== true && exit.notes.length === 0);
        const background = results.filter(({ exit }) => exit.backgroundOpen);
        report({ outputs: results.length, complete: complete.length, short: short.length });
        expect([short.length, unnoted.length, background.length]).toEqual([0, 0, 0]);
        // Of few outputs, one that a busy machine has cut is more than a hundredth.
        expect(complete.length).toBeGreaterThanOrEqual(Math.floor(0.99 * outputs) - 1);
      }
    } finally {
      await Promise.all(tasks.map((taskId) => caisson.sandboxes.remove(taskId)));
    }
  },
);
