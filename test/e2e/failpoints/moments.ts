/** `kill -9` at random moments of a verb. A run takes one of them by its seed; `CAISSON_LOAD_CRASH_MOMENTS` sets how many. */
import { expect, it } from 'vitest';
import { report } from '../../counts.ts';
import { randomOf, seedOfRun, shuffled } from '../../oracle/random.ts';
import { type Cli, listed, succeeds } from './suite.ts';

const longestMs = 240_000;
const moments = Number(process.env['CAISSON_LOAD_CRASH_MOMENTS'] ?? 1);

/** Runs the verb and kills it after so long. How long it lived, and whether it was killed. */
export type KillAfter = (
  verb: readonly string[],
  ms: number,
) => Promise<{ readonly ms: number; readonly died: boolean }>;

interface Killing {
  /** In a state directory of its own, of which nothing may be left. */
  readonly once: (test: (cli: Cli, killAfter: KillAfter) => Promise<void>) => Promise<void>;
}

interface Act {
  readonly name: string;
  /** What is there before. */
  readonly before: readonly (readonly string[])[];
  readonly verb: readonly string[];
  /** Whether the verb has an exec id, by which a second try is known. */
  readonly counts: boolean;
  /** Whether what was there before is there after it. */
  readonly keeps: boolean;
}

const made = ['run', '--task', 't', '--', 'sh', '-c', 'echo kept >file'];
const stopped = ['stop', 't'];
const command = ['--exec-id', 'exec_once', '--', 'sh', '-c', 'echo run >>runs; sleep 0.2'];

const acts: readonly Act[] = [
  { name: 'run', before: [], verb: ['run', '--task', 't', ...command], counts: true, keeps: false },
  { name: 'run without a task', before: [], verb: ['run', '--', 'sleep', '0.2'], counts: false, keeps: false },
  { name: 'exec', before: [made], verb: ['exec', 't', ...command], counts: true, keeps: true },
  { name: 'exec that starts', before: [made, stopped], verb: ['exec', 't', ...command], counts: true, keeps: true },
  { name: 'stop', before: [made], verb: stopped, counts: false, keeps: true },
  { name: 'rm', before: [made], verb: ['rm', 't'], counts: false, keeps: false },
];

export function randomMoments({ once }: Killing): void {
  it('works on, runs nothing twice and leaves nothing, at random moments', { timeout: moments * 240_000 }, async () => {
    const seed = seedOfRun();
    const random = randomOf(seed);
    const lengths = new Map<Act, number>();
    let died = 0;
    for (const [index, act] of inTurn(random).entries()) {
      const length = lengths.get(act) ?? (await lengthOf(act, once));
      lengths.set(act, length);
      const ms = random() * length;
      console.log(`seed ${seed}, moment ${index}: ${act.name}, ${ms.toFixed()} of ${length.toFixed()} ms`);
      await once(async (cli, killAfter) => {
        await prepare(act, cli);
        if ((await killAfter(act.verb, ms)).died) died += 1;
        await worksOn(act, cli);
      });
    }
    report({ moments, died, seed });
  });
}

/** Each as often as the others. */
function inTurn(random: () => number): readonly Act[] {
  const rounds = Array.from({ length: Math.ceil(moments / acts.length) }, () => shuffled(acts, random));
  return rounds.flat().slice(0, moments);
}

/** How long the verb takes to its end. */
async function lengthOf(act: Act, once: Killing['once']): Promise<number> {
  let length = 0;
  await once(async (cli, killAfter) => {
    await prepare(act, cli);
    const whole = await killAfter(act.verb, longestMs);
    expect(whole.died).toBe(false);
    length = whole.ms;
    await succeeds(cli, ['gc']);
  });
  return length;
}

async function prepare({ before }: Act, cli: Cli): Promise<void> {
  for (const verb of before) await succeeds(cli, verb);
}

async function worksOn({ verb, counts, keeps }: Act, cli: Cli): Promise<void> {
  const again = counts ? await cli(verb) : null;
  if (again !== null && again.code !== 0) {
    expect(again.stderr).toMatch(/not known|not run again/);
    expect(again.code).toBe(125);
  }
  const text = 'cat file 2>/dev/null; cat runs 2>/dev/null | wc -l';
  const { code, stdout, stderr } = await cli(['run', '--task', 't', '--', 'sh', '-c', text]);
  expect(code === 0 ? '' : stderr).toBe('');
  const lines = stdout.trim().split('\n');
  if (keeps) expect(lines[0]).toBe('kept');
  const runs = Number(lines.at(-1));
  expect(runs).toBeLessThanOrEqual(1);
  if (again?.code === 0) expect(runs).toBe(1);
  // The row of a sandbox without a task goes then at the latest.
  await succeeds(cli, ['gc']);
  expect(await listed(cli)).toHaveLength(1);
}
