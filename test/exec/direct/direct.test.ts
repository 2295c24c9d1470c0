import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { Process } from '../../../src/backend.ts';
import { startDirect } from '../../../src/exec/direct/start.ts';
import { shellDirectory, shells } from '../kill/shells.ts';
import { spawnedSandbox } from '../spawned-sandbox.ts';

const directory = mkdtempSync(join(tmpdir(), 'caisson direct '));
afterAll(() => rmSync(directory, { recursive: true }));

type Command = readonly [string, ...string[]];

interface Options {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly input?: string;
}

async function collected(process: Process, input?: string) {
  process.stdin?.end(input);
  const streams = [process.stdout, process.stderr].map(async (stream) => Buffer.concat(await stream.toArray()));
  const [stdout = Buffer.alloc(0), stderr = Buffer.alloc(0)] = await Promise.all(streams);
  return { end: await process.wait(), outputs: await process.outputs(), stdout, stderr };
}

describe.each(shells)('the watcher of a command in %s', (shell) => {
  const place = shellDirectory(shell);
  afterAll(() => place.remove());
  const sandbox = spawnedSandbox(place.path);
  const started = (command: Command, { cwd = '/', env = {}, input }: Options = {}) =>
    startDirect(sandbox, command, { cwd, env: { CAISSON_EXEC: 'exec_1', ...env }, stdin: input !== undefined });
  const run = async (command: Command, options: Options = {}) =>
    collected(await started(command, options), options.input);
  const plain = async (command: Command) =>
    collected(await sandbox.exec(command, { cwd: '/', env: { CAISSON_EXEC: 'exec_1' }, stdin: false }));

  it.each([
    ['true'],
    ['sh', '-c', 'exit 255'],
    ['sh', '-c', 'kill 0'],
    ['sh', '-c', 'kill -9 0'],
    ['sh', '-c', 'exec 1>&-; echo x'],
    ['sh', '-c', 'exec 0<&- 1>&- 2>&- 8>&- 9>&-'],
    ['sh', '-c', 'printf "a\\0b\\377"'],
    ['sh', '-c', 'echo o; echo e >&2'],
    ['sh', '-c', 'cat'],
    ['sh', '-c', 'head -c 3000000 /dev/zero; head -c 100000 /dev/zero >&2'],
    ['sh', '-c', 'ulimit -c; umask'],
    ['sh', '-c', 'grep -E "Sig(Ign|Blk|Cgt)" /proc/self/status'],
  ] as [string, ...string[]][])('leaves bytes and status as they are: %j', async (...command) => {
    const [program, ...rest] = command;
    const behind = await run([program, ...rest]);
    const alone = await plain([program, ...rest]);
    const numbers: Readonly<Record<string, number>> = { SIGKILL: 9, SIGTERM: 15 };
    const status = ({ end: { exitCode, signal } }: typeof alone): number =>
      exitCode ?? 128 + (numbers[signal ?? ''] ?? 0);
    expect(status(behind)).toBe(status(alone));
    expect(behind.stdout.equals(alone.stdout)).toBe(true);
    expect(behind.stderr.toString()).toBe(alone.stderr.toString());
    expect(behind.outputs).toEqual({ is: 'ended' });
  });

  it('gives the environment exactly, and keeps its own and the values of shells apart from it', async () => {
    const env = {
      A: 'it\'s\n$(id)`id`"',
      PATH: `${place.path}:/usr/bin:/bin:/odd`,
      RANDOM: 'r',
      IFS: 'x',
      LC_ALL: 'C',
    };
    const long = { B: 'b'.repeat(131_068) };
    const seen = await run(['env', '-0'], { env: { ...env, ...long } });
    const pairs = seen.stdout.toString().split('\0').filter(Boolean);
    const wanted = { CAISSON_EXEC: 'exec_1', ...env, ...long };
    expect(pairs.toSorted()).toEqual(
      Object.entries(wanted)
        .map((pair) => pair.join('='))
        .toSorted(),
    );
    const secret = await run(['sh', '-c', 'tr "\\0" "\\n" <"/proc/$PPID/cmdline"'], { env: { TOKEN: 'swordfish' } });
    expect(secret.stdout.toString()).not.toContain('swordfish');
  });

  it('reports a missing directory and a missing program before anything runs, with nothing on the streams', async () => {
    expect((await run(['pwd'], { cwd: directory })).stdout.toString()).toBe(`${directory}\n`);
    await expect(started(['pwd'], { cwd: join(directory, 'absent') })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    for (const [program, exitCode, notStarted] of [
      ['no-such-program', 127, 'not-found'],
      ['/etc', 126, 'not-executable'],
    ] as const) {
      const missing = await run([program]);
      expect(missing.end).toMatchObject({ exitCode, notStarted });
      expect([missing.stdout.length, missing.stderr.length, missing.outputs]).toEqual([0, 0, { is: 'ended' }]);
    }
    expect((await run(['sh', '-c', 'exit 127'])).end).not.toHaveProperty('notStarted');
  });

  it('carries stdin to the command', async () => {
    expect((await run(['cat'], { input: 'x'.repeat(300_000) })).stdout.length).toBe(300_000);
  });

  it('names the process that holds a stream, and only one that does', async () => {
    const process = await started(['sh', '-c', 'echo now; sleep 30 >/dev/null & sleep 31 2>/dev/null & echo $!']);
    let said = '';
    process.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    process.stderr.resume();
    const outputs = await process.outputs();
    // One holds stdout, the other stderr.
    expect(outputs).toMatchObject({ is: 'held', pids: [expect.any(Number), expect.any(Number)] });
    expect(said).toContain('now\n');
    for (const pid of outputs.is === 'held' ? outputs.pids : []) globalThis.process.kill(pid, 'SIGKILL');
  });

  it('does not take a process that is just ending for a background process', async () => {
    const ran = await run(['sh', '-c', '{ sleep 0.05; echo late; } & exit 3']);
    expect([ran.end.exitCode, ran.outputs, ran.stdout.toString()]).toEqual([3, { is: 'ended' }, 'late\n']);
  });

  it('has ended also for a reader that lets go when its streams have ended', async () => {
    const process = await started(['echo', 'all']);
    const outputs = process.outputs();
    await Promise.all([process.stdout.toArray(), process.stderr.toArray()]);
    process.release();
    expect(await outputs).toEqual({ is: 'ended' });
  });

  it('reports output as cut where its own end is missing', async () => {
    const process = await started(['sh', '-c', 'echo some; kill -9 $PPID; sleep 0.1']);
    const { outputs, stdout } = await collected(process);
    expect([outputs.is, stdout.toString()]).toEqual(['cut', 'some\n']);
  });

  it('delivers what comes behind a mark that the command has printed, and the mark (OH-13)', async () => {
    const forge = `n=$(tr "\\0" "\\n" <"/proc/$PPID/environ" | grep -oE "[A-Za-z0-9_-]{12}[.][A-Za-z0-9_-]{12}" | head -n 1)
      printf "%s%s:0:;" "\${n#*.}" "\${n%.*}"; printf "%s%s;" "\${n#*.}" "\${n%.*}" >&2; sleep 0.1; echo hidden; exit 3`;
    const { end, outputs, stdout, stderr } = await run(['sh', '-c', forge]);
    expect(stdout.toString()).toMatch(/^[\w-]{24}:0:;hidden\n$/);
    expect(stderr.toString()).toMatch(/^[\w-]{24};$/);
    expect([end.exitCode, outputs]).toEqual([3, { is: 'ended' }]);
  });

  it('signals the command, not the watcher that reports its end', async () => {
    const process = await started(['sh', '-c', 'echo here; exec sleep 30']);
    process.stderr.resume();
    await new Promise((resolve) => process.stdout.once('data', resolve));
    await process.kill('SIGKILL');
    expect(await process.wait()).toMatchObject({ exitCode: 137 });
    expect(await process.outputs()).toEqual({ is: 'ended' });
    await sleep(0);
  });
});
