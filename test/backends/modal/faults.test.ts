import { afterAll, expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { open } from '../../../backends/modal/backend.ts';
import type { Ref, Sandbox } from '../../../src/backend.ts';
import { CaissonError } from '../../../src/errors.ts';
import { finish } from '../../conformance/command.ts';
import { plainSpec } from '../../conformance/spec.ts';
import { startModalService, whyNoModal } from '../../engines/modal.ts';
import { optionsFor, seeded } from './place.ts';

const rounds = Number(process.env['CAISSON_LOAD_PLACE_FAULTS'] ?? 80);
const maxLost = 0.05;
const outputBytes = 60_000;

const service = whyNoModal === null ? await startModalService() : null;
afterAll(() => service?.stop());
const instance = 'faulty';
const backend = open({ env: service?.env ?? {}, instance, settings: { max_sandboxes: null } });
afterAll(() => backend.close());

const spec = plainSpec('modal', { image: 'debian:12', cwd: '/root', persistent: true });
const methods = {
  create: ['ImageGetOrCreate', 'SandboxCreateV2'],
  exec: ['TaskExecStart', 'TaskExecStdioRead', 'TaskExecWait'],
  stop: ['TaskSnapshotFilesystem', 'SandboxTerminateV2', 'SandboxGetExitSnapshotV2'],
  start: ['ImageFromId', 'SandboxCreateV2', 'SandboxGetFromNameV2'],
} as const;
type Verb = keyof typeof methods;
const kinds = ['throttle', 'hinted', 'fail', 'lose', 'duplicate', 'cut', 'drop', 'restart', 'expire-tokens'] as const;
type Kind = (typeof kinds)[number];

const counts = new Map<string, number>();
const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);

/** Before the verb, or in the middle of it. */
async function strike(kind: Kind, verb: Verb, random: () => number): Promise<void> {
  const order = async (name: string, body: object = {}): Promise<unknown> => await service?.order(name, body);
  // The SDK gives a stream of output up for good when the service calls it too many.
  const throttles = kind === 'throttle' || kind === 'hinted';
  const all = methods[verb].filter((name) => !(throttles && name === 'TaskExecStdioRead'));
  const method = all[Math.floor(random() * all.length)];
  if (kind === 'expire-tokens') await order('expire-tokens');
  else if (kind === 'drop' || kind === 'restart') {
    await sleep(random() * 80);
    if (kind === 'drop') await order('drop');
    else await order('restart', { downMs: Math.round(random() * 600) });
  } else if (kind === 'hinted') await order('fault', { kind: 'throttle', method, times: 2, retryAfterSecs: 0.1 });
  else if (kind === 'cut') await order('fault', { kind, method: 'TaskExecStdioRead', times: 1 });
  else await order('fault', { kind, method, times: 1 + Math.floor(random() * 2) });
}

const isMidway = (kind: Kind): boolean => kind === 'drop' || kind === 'restart';

/** Resolves to what came of it: a value, or an error with a code. */
async function under<T>(
  kind: Kind,
  verb: Verb,
  random: () => number,
  work: () => Promise<T>,
): Promise<T | CaissonError> {
  const striking = strike(kind, verb, random);
  if (!isMidway(kind)) await striking;
  const [outcome] = await Promise.allSettled([work(), striking]);
  await service?.order('clear');
  if (outcome.status === 'fulfilled') return outcome.value;
  if (outcome.reason instanceof CaissonError) return outcome.reason;
  throw outcome.reason;
}

async function write(sandbox: Sandbox, id: string): Promise<number> {
  const text = `echo ${id} >>/root/log; head -c ${outputBytes} /dev/zero; exit 3`;
  const process = await sandbox.exec(['sh', '-c', text], { cwd: '/root', env: { CAISSON_EXEC: id }, stdin: false });
  const { exitCode, stdout } = await finish(process);
  expect(exitCode).toBe(3);
  return stdout.length;
}

async function lines(sandbox: Sandbox): Promise<readonly string[]> {
  const process = await sandbox.exec(['cat', '/root/log'], { cwd: '/', env: {}, stdin: false });
  return (await finish(process)).stdout.toString().split('\n').filter(Boolean);
}

const running = async (): Promise<number> => (await backend.list({ instance })).length;

it.skipIf(whyNoModal !== null)(
  'runs no command twice, leaks no sandbox and loses at most one result in twenty, under random faults',
  { timeout: 900_000 },
  async () => {
    const random = seeded(Number(process.env['CAISSON_LOAD_SEED'] ?? 20_261_125));
    let ref: Ref = (await backend.create(spec, optionsFor(instance, 'keeper'))).ref;
    let [execs, lost] = [0, 0];
    const written = new Set<string>();
    for (let round = 0; round < rounds; round += 1) {
      const verb: Verb = (['create', 'exec', 'exec', 'stop', 'start'] as const)[round % 5] ?? 'exec';
      const kind = kinds[Math.floor(random() * kinds.length)] ?? 'fail';
      const sandbox = await backend.attach(ref);
      if (verb === 'create') {
        const options = optionsFor(instance, `round${round}`);
        const made = await under(kind, verb, random, () => backend.create(spec, options));
        if (made instanceof CaissonError) {
          count(`${verb} ${kind}: ${made.code}`);
          const left = (await backend.list({ instance })).filter(
            ({ labels }) => labels.sandbox === options.labels.sandbox,
          );
          for (const entry of left) await (await backend.attach(entry.ref)).destroy();
        } else {
          count(`${verb} ${kind}: done`);
          await made.destroy();
        }
        expect(await running()).toBe(1);
      } else if (verb === 'exec') {
        execs += 1;
        const id = `exec_${round}`;
        const bytes = await under(kind, verb, random, () => write(sandbox, id));
        const times = (await lines(sandbox)).filter((line) => line === id).length;
        expect(times).toBeLessThanOrEqual(1);
        if (bytes instanceof CaissonError) {
          count(`${verb} ${kind}: ${bytes.code}`);
          if (times === 1) lost += 1;
          if (times === 1) written.add(id);
          expect(kind).not.toBe('cut');
        } else {
          count(`${verb} ${kind}: done`);
          expect([times, bytes]).toEqual([1, outputBytes]);
          written.add(id);
        }
      } else {
        const onRef = async (next: Ref): Promise<void> => void (ref = next);
        const outcome = await under(kind, verb, random, () => sandbox.power?.[verb]({ onRef }) ?? Promise.resolve());
        count(`${verb} ${kind}: ${outcome instanceof CaissonError ? outcome.code : 'done'}`);
        if (outcome instanceof CaissonError) await (await backend.attach(ref)).power?.[verb]({ onRef });
        expect((await backend.attach(ref)).state).toBe(verb === 'stop' ? 'stopped' : 'running');
        expect(await running()).toBe(verb === 'stop' ? 0 : 1);
        if (verb === 'start') expect(new Set(await lines(await backend.attach(ref)))).toEqual(written);
      }
    }
    console.log(
      [...counts]
        .toSorted(([one], [other]) => one.localeCompare(other))
        .map(([what, times]) => `${what} ${times}`)
        .join('\n'),
    );
    console.log(`results lost: ${lost} of ${execs}`);
    expect(lost / execs).toBeLessThanOrEqual(maxLost);
    await (await backend.attach(ref)).destroy();
    expect(await running()).toBe(0);
  },
);
