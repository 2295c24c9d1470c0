/** Lanes whose caller may end without a sign: they end by themselves, and not before. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { guardianCommand } from '../../../src/exec/lane/guardian.ts';
import { Lane } from '../../../src/exec/lane/lane.ts';
import { laneStart } from '../../../src/exec/lane/script.ts';
import { newNonce } from '../../../src/exec/random.ts';
import { shellDirectory, shells } from '../kill/shells.ts';
import { alone, started } from './shells.ts';

interface Bounded extends Disposable {
  readonly lane: Lane;
  readonly child: ReturnType<typeof spawn>;
  readonly write: (text: string) => void;
  readonly hasEnded: () => boolean;
}

/** Its stdin stays open, as it does where a service holds it. The bound is shorter than that of the program. */
async function bounded(shell: string, seconds: number, before: readonly string[] = []): Promise<Bounded> {
  const directory = shellDirectory(shell);
  const env = { PATH: `${directory.path}:${process.env['PATH'] ?? '/usr/bin:/bin'}` };
  const nonce = newNonce();
  const bound = `${seconds}`.padEnd(2);
  const text = laneStart(nonce, { bounded: true });
  const own = Buffer.from(text.program.toString().replace(/^(set -- \S+) 20$/m, `$1 ${bound}`));
  const [program = '', ...rest] = [...before, ...text.command];
  const child = spawn(program, rest, { env, cwd: '/', detached: true });
  const lane = new Lane(started(child), { onChange: () => undefined, onOutlived: () => undefined });
  await lane.open({ nonce, program: own });
  return {
    lane,
    child,
    write: (text) => void child.stdin.write(text),
    hasEnded: () => child.exitCode !== null,
    [Symbol.dispose]: () => {
      lane.close();
      child.kill('SIGKILL');
      directory.remove();
    },
  };
}

const within = async (seconds: number, test: () => boolean): Promise<boolean> => {
  const end = performance.now() + seconds * 1000;
  while (!test() && performance.now() < end) await sleep(50);
  return test();
};

const childrenOf = (pid: number | undefined): readonly string[] => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean);
  } catch {
    return [];
  }
};

describe.concurrent.each(shells)('a bounded lane in %s', (shell) => {
  it('ends by itself, and what it started with it, when its caller has gone without closing its input', async () => {
    using opened = await bounded(shell, 10);
    const helpers = childrenOf(opened.child.pid);
    await sleep(4_000);
    expect(opened.hasEnded()).toBe(false);
    expect(await within(12, opened.hasEnded)).toBe(true);
    expect(opened.child.exitCode).toBe(77);
    const living = (): boolean => helpers.every((pid) => childrenOf(Number(pid)).length === 0);
    expect(await within(6, living)).toBe(true);
  }, 30_000);

  it('lives as long as its caller shows that it does, and runs the next command', async () => {
    using opened = await bounded(shell, 10);
    for (let count = 0; count < 8; count += 1) {
      await sleep(2_000);
      opened.lane.beat();
    }
    const process = opened.lane.run({ command: ['echo', 'fine'], cwd: '/', env: {} });
    expect(Buffer.concat(await process.stdout.toArray()).toString()).toBe('fine\n');
    expect(opened.lane.state).not.toBe('retired');
  }, 30_000);

  it('does not end while a command runs, and begins to count after it', async () => {
    using opened = await bounded(shell, 5);
    const process = opened.lane.run({ command: ['sh', '-c', 'sleep 13; echo fine; exit 3'], cwd: '/', env: {} });
    process.stderr.resume();
    expect(Buffer.concat(await process.stdout.toArray()).toString()).toBe('fine\n');
    expect((await process.wait()).exitCode).toBe(3);
    expect(await within(12, opened.hasEnded)).toBe(true);
  }, 40_000);

  it('takes a request whole that comes in pieces, with a pause between them', async () => {
    using opened = await bounded(shell, 15);
    opened.write('_cz_run 0123456789');
    await sleep(6_000);
    opened.write("01234567890123 / -- sh -c 'exit 5' #.\n");
    await within(3, () => opened.lane.state === 'retired'); // it did not ask, and hears an answer
    expect(opened.lane.state).toBe('retired');
    expect(opened.hasEnded() && opened.child.exitCode !== 77).toBe(false);
  }, 30_000);
});

describe.concurrent.each(shells)('the child of a bounded lane that stands ready in %s', (shell) => {
  it('ends at its bound with a child that stands ready', async () => {
    using opened = await bounded(shell, 5, alone);
    opened.lane.standReady();
    expect(await within(14, opened.hasEnded)).toBe(true);
  }, 30_000);
});

it('keeps the first process of a sandbox when its input has ended', async () => {
  const command = guardianCommand(newNonce());
  const [program = '', ...rest] = command;
  const child = spawn(program, rest, { cwd: '/', detached: true });
  try {
    for (const stream of [child.stdout, child.stderr]) stream.resume();
    child.stdin.end();
    await sleep(1_000);
    expect(child.exitCode).toBeNull();
  } finally {
    child.kill('SIGKILL');
  }
}, 30_000);
