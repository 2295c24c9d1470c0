import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { watchInterrupts } from '../../src/cli/interrupt.ts';
import { Screen } from './cli.ts';
import { finished, onDouble, scratch, start } from './process.ts';

const notice = 'interrupted: stopping and cleaning up';

describe('an interruption', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('by %s ends the command, cleans up, says so and exits with %i', async (signal, exitCode) => {
    await using at = await scratch();
    const { child, ended, wrote } = start(
      process.execPath,
      [onDouble, 'run', '-q', '--', 'sh', '-c', 'echo up; sleep 30'],
      at.env,
    );
    await wrote('up\n');
    child.kill(signal);
    expect(await ended).toEqual({
      exitCode,
      signal: null,
      stdout: 'up\n',
      stderr: `caisson: ${notice}; once more to leave at once\n`,
    });
    expect(await at.log()).toEqual([
      'create task1',
      'start sh -c echo up; sleep 30',
      'exit canceled',
      'remove task1',
      'close',
    ]);
  });

  it('while the sandbox is being made gives that up, and starts nothing', async () => {
    await using at = await scratch();
    const { child, ended } = start(process.execPath, [onDouble, 'run', '--', 'true'], {
      ...at.env,
      DOUBLE_DELAY: '4000',
    });
    await vi.waitFor(async () => expect(await at.log()).toEqual(['asked for a sandbox']), 10_000);
    child.kill('SIGINT');
    const { exitCode, stderr } = await ended;
    expect(exitCode).toBe(130);
    expect(stderr).not.toContain('(canceled)');
    expect(await at.log()).toEqual(['asked for a sandbox', 'close']);
  });

  it('by a reader that went away ends the command and cleans up', async () => {
    await using at = await scratch();
    const { child, ended, wrote } = start(process.execPath, [onDouble, 'run', '-q', '--', 'yes'], at.env);
    await wrote('y\n');
    child.stdout?.destroy();
    const { exitCode, stderr } = await ended;
    expect([exitCode, stderr]).toEqual([141, '']);
    expect(await at.log()).toContain('remove task1');
  });

  it('leaves no input open: the process ends although it was not closed', async () => {
    await using at = await scratch();
    const startedMs = performance.now();
    const { child, ended } = start(process.execPath, [onDouble, 'run', '-q', '-i', '--', 'true'], at.env);
    expect((await ended).exitCode).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
    child.stdin?.end();
  });

  it('delivers everything that was written, also to a slow reader', async () => {
    await using at = await scratch();
    const { stdout } = await finished(
      'sh',
      ['-c', `'${process.execPath}' '${onDouble}' run -q -- head -c 3000000 /dev/zero | (sleep 1; wc -c)`],
      at.env,
    );
    expect(stdout.trim()).toBe('3000000');
  });

  it('leaves at once the second time, but takes a double delivery of the first for one', () => {
    const signals = new EventEmitter();
    const [said, abandoned]: [string[], number[]] = [[], []];
    let nowMs = 0;
    const world = {
      env: {},
      cwd: '/',
      stdin: new PassThrough(),
      stdout: new Screen(),
      stderr: new Screen(),
      signals,
      nowMs: () => nowMs,
      open: () => Promise.reject(new Error('not here')),
      line: () => Promise.resolve(null),
      embedded: () => Promise.reject(new Error('not here')),
      settings: () => Promise.reject(new Error('not here')),
      configFile: () => Promise.reject(new Error('not here')),
      abandon: (code: number) => void abandoned.push(code),
    };
    const { signal, exitCode, stop } = watchInterrupts(world, (text) => void said.push(text));
    signals.emit('SIGINT', 'SIGINT');
    expect([signal.aborted, exitCode(), said.length]).toEqual([true, 130, 1]);
    nowMs = 100;
    signals.emit('SIGINT', 'SIGINT');
    expect(abandoned).toEqual([]);
    nowMs = 1000;
    signals.emit('SIGTERM', 'SIGTERM');
    expect([abandoned, exitCode(), said.at(-1)]).toEqual([
      [143],
      130,
      'left at once: what remains is removed by caisson gc',
    ]);
    stop();
    expect(signals.eventNames()).toEqual([]);
  });
});
