/** `kill -9` at every named step of a life, on one backend. `CAISSON_LOAD_CRASHES` sets how often. */
import { spawn } from 'node:child_process';
import { once as onceEmitted } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chosen, randomOf, seedOfRun } from '../../oracle/random.ts';
import { cli as program, type Home, makeHome } from '../home.ts';
import { type KillAfter, randomMoments } from './moments.ts';
import { poolSteps } from './pool.ts';

const load = process.env['CAISSON_LOAD_CRASHES'];
const times = Number(load ?? 1);
const patience = { timeout: times * 120_000 };

/** The command line in the state directory of a test. */
export type Cli = (verb: readonly string[], more?: Readonly<Record<string, string>>) => ReturnType<Home['cli']>;

export type Settings = Readonly<Record<string, string | number | boolean>>;

export interface FailpointPlace {
  readonly backend: string;
  readonly isThere: boolean;
  /** A run takes a third of each group of steps, by its seed; a load takes all. */
  readonly isSampled?: boolean;
  /** Whether its sandboxes can be made ahead of demand. */
  readonly hasPool?: boolean;
  /** Whether verbs are killed at random moments as well. */
  readonly hasMoments?: boolean;
  /** The keys of `terminal`, and what its commands need in their environment. */
  open(): Promise<{ readonly settings: Settings; readonly env: Readonly<Record<string, string>> }>;
  close(): Promise<void> | void;
  /** What is left there, when that is not in the state directory. */
  left?(): Promise<readonly unknown[]>;
}

export function failpoints(place: FailpointPlace): void {
  describe(`a process that is killed on ${place.backend}`, () => {
    killed(place);
  });
}

function stepsFor({
  isSampled = false,
}: Pick<FailpointPlace, 'isSampled'>): <Step>(steps: readonly Step[]) => readonly Step[] {
  if (!isSampled || load !== undefined) return (steps) => steps;
  const seed = seedOfRun();
  console.log(`failpoints: seed ${seed}`);
  const random = randomOf(seed);
  return (steps) => chosen(steps, Math.ceil(steps.length / 3), random);
}

function killed(place: FailpointPlace): void {
  const taken = stepsFor(place);
  let settings: Settings = {};
  let env: Readonly<Record<string, string>> = {};

  beforeAll(async () => {
    if (place.isThere) ({ settings, env } = await place.open());
  }, 300_000);
  afterAll(() => place.close());

  /** Runs the test in a state directory of its own, and looks at what is left. */
  async function once(test: (cli: Cli, killAfter: KillAfter) => Promise<void>, sections = ''): Promise<void> {
    await using home = await makeHome();
    const terminal = JSON.stringify({ backend: place.backend, ...settings });
    await writeFile(join(home.path, 'config.yaml'), `terminal: ${terminal}\n${sections}`, { mode: 0o600 });
    const cli: Cli = (verb, more = {}) => home.cli(verb, '', { ...env, ...more });
    await test(cli, killerIn(home, env));
    await expectNothingLeft(home, env);
    expect(await home.containers()).toEqual([]);
    expect(await place.left?.()).toEqual(place.left === undefined ? undefined : []);
  }

  async function often(test: (cli: Cli) => Promise<void>, sections = ''): Promise<void> {
    for (let index = 0; index < times; index += 1) await once(test, sections);
  }

  const kill = async (cli: Cli, name: string, verb: readonly string[], more = {}): Promise<void> => {
    const died = await cli(verb, { ...more, CAISSON_TEST_FAILPOINT: `${name}:crash` });
    expect(died.code).toBe(137);
  };

  it.skipIf(!place.isThere).each(taken(['after-intent', 'after-create', 'after-ready']))(
    'creates one sandbox when it dies at %s',
    patience,
    async (name) =>
      await often(async (cli) => {
        await kill(cli, name, ['create', '--task', 't']);
        expect(await cli(['run', '--task', 't', '--', 'echo', 'there'])).toMatchObject({
          stdout: 'there\n',
          code: 0,
        });
        expect(await listed(cli)).toHaveLength(1);
      }),
  );

  it.skipIf(!place.isThere).each(taken(['before-remove', 'after-remove', 'before-forget']))(
    'leaves nothing of a sandbox when it dies at %s',
    patience,
    async (name) =>
      await often(async (cli) => {
        await cli(['create', '--task', 't']);
        await kill(cli, name, ['rm', 't']);
        await cli(['gc']);
        expect(await listed(cli)).toEqual([]);
      }),
  );

  it.skipIf(!place.isThere).each(taken(['before-start', 'after-start', 'before-ready']))(
    'leaves a sandbox that the next verb uses when it dies at %s',
    patience,
    async (name) =>
      await often(async (cli) => {
        await cli(['run', '--task', 't', '--', 'sh', '-c', 'echo kept >file']);
        expect(await cli(['stop', 't'])).toMatchObject({ code: 0 });
        await kill(cli, name, ['exec', 't', '--', 'sh', '-c', 'echo again >>file']);
        expect(await cli(['exec', 't', '--', 'cat', 'file'])).toMatchObject({ stdout: 'kept\n', code: 0 });
      }),
  );

  it.skipIf(!place.isThere).each(
    taken([
      ['stopping', 'stop'],
      ['after-stop', 'stop'],
      ['stopping', 'gc'],
      ['after-stop', 'gc'],
    ]),
  )(
    'leaves a sandbox that the next verb uses when it dies at %s of %s',
    patience,
    async (name, verb) =>
      await often(async (cli) => {
        const idle = { CAISSON_TERMINAL_LIFETIME_SECONDS: '1' };
        await cli(['run', '--task', 't', '--', 'sh', '-c', 'echo kept >file'], idle);
        if (verb === 'gc') await sleep(1_500);
        await kill(cli, name, verb === 'gc' ? ['gc'] : ['stop', 't'], idle);
        expect(await cli(['exec', 't', '--', 'cat', 'file'])).toMatchObject({ stdout: 'kept\n', code: 0 });
      }),
  );

  // Elsewhere a stopped sandbox is the same resource.
  const moves =
    place.backend === 'modal'
      ? [
          ['after-ref', 'stop'],
          ['before-ref', 'start'],
          ['after-ref', 'start'],
        ]
      : [];
  it.skipIf(!place.isThere).each(taken(moves))(
    'leaves a ref that finds the files, and one sandbox, when it dies at %s of %s',
    patience,
    async (name, verb) =>
      await often(async (cli) => {
        await cli(['run', '--task', 't', '--', 'sh', '-c', 'echo kept >file']);
        if (verb === 'start') expect(await cli(['stop', 't'])).toMatchObject({ code: 0 });
        await kill(cli, name, [verb, 't']);
        expect(await cli(['exec', 't', '--', 'cat', 'file'])).toMatchObject({ stdout: 'kept\n', code: 0 });
      }),
  );

  it.skipIf(!place.isThere).each(
    taken([
      ['exec-row', 0],
      ['exec-audited', 0],
      ['exec-accepted', 1],
      ['exec-ended', 1],
    ] as const),
  )(
    'runs nothing twice when it dies at %s',
    patience,
    async (name, runs) =>
      await often(async (cli) => {
        await cli(['create', '--task', 't']);
        const verb = ['exec', 't', '--exec-id', 'exec_once', '--', 'sh', '-c', 'echo run >>runs; sleep 0.2'];
        await kill(cli, name, verb);
        await sleep(1_000);
        const again = await cli(verb);
        expect(again.stderr).toMatch(/not known|not run again/);
        expect(again.code).toBe(125);
        const counted = await cli(['exec', 't', '--', 'sh', '-c', 'cat runs 2>/dev/null | wc -l']);
        expect(Number(counted.stdout)).toBe(runs);
      }),
  );

  if (place.hasPool === true && place.isThere)
    poolSteps({ taken: stepsFor({ isSampled: true }), often, kill, patience });
  if (place.hasMoments === true && place.isThere) randomMoments({ once });
}

/** A service of this process looks: four verbs take several times as long. */
async function expectNothingLeft(home: Home, env: Readonly<Record<string, string>>): Promise<void> {
  const caisson = await home.open({}, env);
  const { sandboxes } = caisson;
  for (const { taskId } of (await sandboxes.list()).items) await sandboxes.remove(taskId);
  await sandboxes.gc({ dryRun: false });
  expect(await sandboxes.gc({ dryRun: true })).toEqual([]);
  await caisson.close();
}

/** A failure shows what was said. */
export async function succeeds(cli: Cli, verb: readonly string[]): Promise<void> {
  const { code, stderr } = await cli(verb);
  expect(code === 0 ? '' : `${verb.join(' ')}: ${code}: ${stderr}`).toBe('');
}

function killerIn({ path, env }: Home, more: Readonly<Record<string, string>>): KillAfter {
  return async (verb, ms) => {
    const begun = performance.now();
    const child = spawn(process.execPath, [program, ...verb], {
      env: { ...env, ...more },
      cwd: path,
      stdio: 'ignore',
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), ms);
    await onceEmitted(child, 'exit');
    clearTimeout(timer);
    return { ms: performance.now() - begun, died: child.signalCode === 'SIGKILL' };
  };
}

interface Listed {
  readonly id: string;
  readonly taskId: string;
  readonly state: string;
}

export async function listed(cli: Cli, verb: readonly string[] = ['ls', '-o', 'json']): Promise<readonly Listed[]> {
  const { stdout } = await cli(verb);
  return JSON.parse(stdout);
}
