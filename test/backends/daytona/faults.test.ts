import { afterAll, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/backend.ts';
import { isCode } from '../../../src/errors.ts';
import type { Fault } from '../../../emulators/daytona/faults.ts';
import { run } from '../../conformance/command.ts';
import { startDaytonaHere, whyNoDaytona } from '../../engines/daytona.ts';
import { backendOn, instance, options, spec } from './place.ts';

const why = whyNoDaytona();
const emulator = why === null ? await startDaytonaHere() : null;
const backend = emulator === null ? null : backendOn(emulator);
afterAll(async () => {
  await backend?.close();
  await emulator?.close();
});

/** Random numbers that are equal in every run (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const plain: readonly Fault[] = [
  { fault: 'throttle', retryAfterSeconds: 0 },
  { fault: 'unavailable' },
  { fault: 'drop-before' },
  { fault: 'drop-after' },
  { fault: 'duplicate' },
  { fault: 'restart' },
];
const rounds = Number(process.env['CAISSON_LOAD_PLACE_FAULTS'] ?? 80);
const noise = 'x'.repeat(20_000);

it.skipIf(why !== null)(
  'random faults over create, exec, stop and start run no command twice, leak no sandbox, and lose at most 1 in 20',
  { timeout: 300_000 },
  async () => {
    if (emulator === null || backend === null) return;
    const next = random(42);
    const counts: Record<string, number> = {};
    const count = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1);
    const started: string[] = [];
    const survived: string[] = [];
    let sandbox: Sandbox = await backend.create(spec, options('faults'));

    const exec = async (id: string): Promise<void> => {
      started.push(id);
      try {
        const result = await run(sandbox, ['sh', '-c', `echo ${id} >>/ran; cat; echo ${id} >&2; exit 7`], {
          stdin: noise,
        });
        expect({
          code: result.exitCode,
          out: result.stdout.toString() === noise,
          err: result.stderr.toString(),
        }).toEqual({ code: 7, out: true, err: `${id}\n` });
        survived.push(id);
        count('exec done');
      } catch (error) {
        if (!isCode(error, 'unavailable')) throw error;
        count('exec lost');
      }
    };
    const other = async (): Promise<void> => {
      const made = await backend.create(spec, options());
      count('create done');
      await made.destroy();
    };
    const power = async (): Promise<void> => {
      const stay = { onRef: async () => undefined };
      await sandbox.power?.stop(stay);
      await sandbox.power?.start(stay);
      sandbox = await backend.attach(sandbox.ref);
      count('stop and start done');
    };

    for (let round = 0; round < rounds; round += 1) {
      const which = next();
      const fault: Fault =
        which < 0.55
          ? { fault: 'cut', afterBytes: Math.floor(next() * 45_000) }
          : (plain[Math.floor(next() * plain.length)] ?? { fault: 'unavailable' });
      count(`fault ${fault.fault}`);
      await emulator.inject(fault);
      const work = next();
      if (work < 0.86) await exec(`exec-${round}`);
      else if (work < 0.94) await other();
      else await power();
    }
    await emulator.inject({ fault: 'none' });
    const ran = (await run(sandbox, ['cat', '/ran'])).stdout.toString().trim().split('\n');
    expect(new Set(ran).size).toBe(ran.length);
    expect(survived.filter((id) => !ran.includes(id))).toEqual([]);
    expect(await backend.list({ instance })).toHaveLength(1);
    await sandbox.destroy();
    console.info(JSON.stringify(counts));
    expect(emulator.count()).toBe(0);
    expect(counts['exec lost'] ?? 0).toBeLessThanOrEqual(started.length * 0.05);
  },
);
