/** Commands of the package while the service of their state directory is killed and started again at random. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { unpackPackage } from './packed.ts';

const calls = Number(process.env['CAISSON_LOAD_KILLED_CALLS'] ?? 200);
const atOnce = 8;

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** One service lived from before its start to after its end. */
  readonly besideService: boolean;
}

/**
 * A service that is killed and started again until it is to end. It lives for a number of commands and not for a time: on a slow
 * machine as many of them fall into one life.
 */
class Mortal {
  readonly #start: () => ChildProcess;
  #isEnding = false;
  #child: ChildProcess | null = null;
  /** Counts up with each birth and each death: odd while one lives that has said its address. */
  turn = 0;

  constructor(start: () => ChildProcess) {
    this.#start = start;
  }

  /** Once, and ends in order: that leaves compiled code for those that are killed. */
  async begin(): Promise<void> {
    const exit = await this.#born();
    this.#child?.kill('SIGTERM');
    await exit();
  }

  /** `ended`: how many commands have come to their end. */
  async live(random: () => number, ended: () => number): Promise<void> {
    while (!this.#isEnding) {
      const exit = await this.#born();
      this.turn += 1;
      const last = ended() + 12 + random() * 24;
      while (!this.#isEnding && ended() < last) await sleep(10);
      await sleep(random() * 100);
      this.turn += 1;
      this.#child?.kill('SIGKILL');
      await exit();
      await sleep(random() * 400);
    }
  }

  /** Idempotent. */
  end(): void {
    this.#isEnding = true;
    this.#child?.kill('SIGKILL');
  }

  /** Resolves when it has said its address, or is dead. */
  async #born(): Promise<() => Promise<unknown>> {
    const child = this.#start();
    this.#child = child;
    const exit = once(child, 'exit');
    if (child.stdout === null) throw new Error('it has no output');
    await Promise.race([once(child.stdout, 'data'), exit]);
    return async () => await exit;
  }
}

it(
  'commands end with their true result or a clear error, none runs twice or goes past a living service',
  { timeout: 600_000 },
  async () => {
    const project = await mkdtemp(join(tmpdir(), 'caisson-killed-'));
    onTestFinished(() => rm(project, { recursive: true, force: true }));
    const [root, home, at] = [join(project, 'package'), join(project, 'home'), join(project, 'at')];
    for (const path of [root, home, at]) await mkdir(path, { mode: 0o700 });
    const program = await unpackPackage(root);
    await writeFile(join(home, 'config.yaml'), 'terminal: {backend: local}\n', { mode: 0o600 });
    const env = {
      PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
      HOME: project,
      CAISSON_HOME: home,
    };
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    const service = new Mortal(() => spawn(program, ['serve', '--port', '0'], { env, cwd: at, stdio: [...stdio] }));
    const run = (args: readonly string[]): Promise<Outcome> => {
      const turn = service.turn;
      return new Promise((resolve) => {
        execFile(program, args, { env, cwd: at, timeout: 60_000, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
          resolve({ code, stdout, stderr, besideService: turn % 2 === 1 && service.turn === turn });
        });
      });
    };
    expect(await run(['create', '-q', 't'])).toMatchObject({ code: 0 });
    await writeFile(join(at, 'small'), 'small\n');

    await service.begin();
    const random = seeded(23);
    const outcomes = new Map<number, Outcome>();
    const living = service.live(random, () => outcomes.size);
    onTestFinished(async () => {
      service.end();
      await living;
    });
    const argsOf = (call: number): readonly string[] => {
      const script = `echo ${call} >>${at}/marks; echo done ${call}`;
      if (call % 5 === 3) return ['ls'];
      if (call % 5 === 4) return ['cp', '-q', 'small', `t:${at}/copy-${call}`];
      const id = ['--exec-id', `exec_call-${call}`, '--', 'sh', '-c', script];
      return call % 10 === 2 ? ['run', ...id] : ['exec', 't', ...id];
    };
    let next = 0;
    const work = async (): Promise<void> => {
      for (let call = next++; call < calls; call = next++) outcomes.set(call, await run(argsOf(call)));
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    service.end();
    await living;

    const marks = (await readFile(join(at, 'marks'), 'utf8')).split('\n').filter(Boolean);
    expect(marks.filter((mark, index) => marks.indexOf(mark) !== index)).toEqual([]);
    const authors = await authorsOf(run);
    const failed = [...outcomes.values()].filter(({ code }) => code !== 0);
    const wrong = [...outcomes].filter(([call, outcome]) => !isTrue(call, outcome));
    expect(wrong).toEqual([]);
    const beside = [...outcomes.values()].filter(({ besideService }) => besideService);
    expect(beside.length).toBeGreaterThan(calls / 10);
    expect(failed.length).toBeLessThan(calls / 2);

    function isTrue(call: number, { code, stdout, stderr, besideService }: Outcome): boolean {
      if (code !== 0) return code === 125 && (isCut(stderr) || stderr.includes(`caisson logs exec_call-${call}\n`));
      if (call % 5 === 3) return /^t +local/m.test(stdout);
      if (call % 5 === 4) return existsSync(join(at, `copy-${call}`));
      const isThrough = authors.get(`exec_call-${call}`)?.startsWith('tok_') === true;
      return stdout === `done ${call}\n` && marks.includes(String(call)) && (!besideService || isThrough);
    }
  },
);

/** The service was gone before it had the command, or a command that starts nothing was cut. */
const isCut = (stderr: string): boolean => /^caisson: .{10,}\(unavailable\)$/m.test(stderr);

/** Who started each exec: a token, or the user of the command line. */
async function authorsOf(run: (args: readonly string[]) => Promise<Outcome>): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await run(['events', '-o', 'json']);
  const events = stdout.split('\n').filter((line) => line.includes('"exec.started"'));
  return new Map(events.map((line) => [field(line, 'execId'), field(line, 'author')]));
}

const field = (line: string, name: string): string => new RegExp(`"${name}":"([^"]*)"`).exec(line)?.[1] ?? '';

/** Mulberry32: the same run again with the same seed, as far as processes let it. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
