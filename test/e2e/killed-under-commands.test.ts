/** Commands of the package while the service of their state directory is killed and started again at random. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { installPackage } from './packed.ts';

const calls = 500;
const atOnce = 4;

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** One service lived from before its start to after its end. */
  readonly besideService: boolean;
}

/** A service that is killed after a while and started again after another, until it is to end. */
class Mortal {
  readonly #start: () => ChildProcess;
  #isEnding = false;
  /** Counts up with each birth and each death: odd while one lives that has said its address. */
  turn = 0;

  constructor(start: () => ChildProcess) {
    this.#start = start;
  }

  async live(random: () => number): Promise<void> {
    while (!this.#isEnding) {
      const child = this.#start();
      const exit = once(child, 'exit');
      if (child.stdout === null) throw new Error('it has no output');
      await Promise.race([once(child.stdout, 'data'), exit]);
      this.turn += 1;
      await sleep(400 + random() * 2500);
      this.turn += 1;
      child.kill('SIGKILL');
      await exit;
      await sleep(random() * 600);
    }
  }

  end(): void {
    this.#isEnding = true;
  }
}

it(
  '500 commands end with their true result or a clear error, none runs twice or goes past a living service',
  { timeout: 240_000 },
  async () => {
    const project = await mkdtemp(join(tmpdir(), 'caisson-killed-'));
    onTestFinished(() => rm(project, { recursive: true, force: true }));
    await installPackage(project);
    const program = join(project, 'node_modules/caisson/bin/caisson');
    const home = join(project, 'home');
    const at = join(project, 'at');
    for (const path of [home, at]) await mkdir(path, { mode: 0o700 });
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

    const random = seeded(23);
    const living = service.live(random);
    const outcomes = new Map<number, Outcome>();
    const argsOf = (call: number): readonly string[] => {
      const script = `echo ${call} >>${at}/marks; echo done ${call}`;
      if (call % 5 === 3) return ['ls'];
      if (call % 5 === 4) return ['cp', '-q', 'small', `t:${at}/copy-${call}`];
      const id = ['--exec-id', `exec_call-${call}`, '--', 'sh', '-c', script];
      return call % 10 === 2 ? ['run', '-q', ...id] : ['exec', '-q', 't', ...id];
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
    const failed: string[] = [];
    for (const [call, outcome] of outcomes) {
      const { code, stdout, stderr } = outcome;
      const said = `call ${call}: ${code} ${stdout} ${stderr}`;
      if (code !== 0) {
        failed.push(stderr.split('\n')[0] ?? '');
        expect(code, said).toBe(125);
        expect(stderr, said).toMatch(/^caisson: .{10}/m);
        continue;
      }
      if (call % 5 === 3) expect(stdout, said).toMatch(/^t +local/m);
      else if (call % 5 === 4) expect(existsSync(join(at, `copy-${call}`)), said).toBe(true);
      else {
        expect(stdout, said).toBe(`done ${call}\n`);
        expect(marks, said).toContain(String(call));
        if (outcome.besideService) expect(authors.get(`exec_call-${call}`), said).toMatch(/^tok_/);
      }
    }
    const beside = [...outcomes.values()].filter(({ besideService }) => besideService).length;
    console.log(
      `${calls} commands, ${beside} beside one service, ${failed.length} failed`,
      [...new Set(failed)].slice(0, 12),
    );
    expect(beside).toBeGreaterThan(calls / 10);
    expect(failed.length).toBeLessThan(calls / 2);
  },
);

/** Who started each exec: a token, or the user of the command line. */
async function authorsOf(run: (args: readonly string[]) => Promise<Outcome>): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await run(['events', '-o', 'json']);
  const events = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => Object(JSON.parse(line)) as { type: string; author: string; data: { execId?: string } });
  return new Map(
    events.filter(({ type }) => type === 'exec.started').map(({ author, data }) => [data.execId ?? '', author]),
  );
}

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
