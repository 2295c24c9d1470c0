import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Lane } from '../../../src/exec/lane/lane.ts';
import { shells } from '../kill/shells.ts';
import { direct, type ShellLane, openLane, readyShells, runIn, start } from './shells.ts';

const directory = mkdtempSync(join(tmpdir(), 'caisson lane '));
afterAll(() => rmSync(directory, { recursive: true }));

const ways = shells.flatMap((shell) => [
  { shell, how: 'that is asked', ready: false },
  { shell, how: 'that stands ready', ready: true },
]);

describe.each(ways)('a lane of $shell $how', ({ shell, ready }) => {
  let opened: ShellLane;
  let lane: Lane;
  beforeEach(async () => {
    opened = await openLane(shell, { ready });
    ({ lane } = opened);
  });
  afterEach(() => opened[Symbol.dispose]());

  it.each([
    ['true'],
    ['false'],
    ['echo', 'hi'],
    ['sh', '-c', 'exit 255'],
    ['sh', '-c', 'kill -9 $$'],
    ['sh', '-c', 'kill -TERM $$'],
    ['sh', '-c', 'kill -SEGV $$'],
    ['sh', '-c', 'kill 0'],
    ['sh', '-c', 'kill -9 0'],
    ['sh', '-c', 'set -e; false; echo no'],
    ['sh', '-c', 'trap "echo bye" EXIT; exit 3'],
    ['sh', '-c', 'exec 1>&-; echo x'],
    ['sh', '-c', 'exec 0<&- 1>&- 2>&- 3>&- 8>&- 9>&-'],
    ['sh', '-c', 'echo "unterminated'],
    ['sh', '-c', 'printf "a\\0b\\377"'],
    ['sh', '-c', 'printf nonewline'],
    ['sh', '-c', 'echo o; echo e >&2'],
    ['sh', '-c', 'cat'],
    ['sh', '-c', 'head -c 3000000 /dev/zero; head -c 100000 /dev/zero >&2'],
    ['sh', '-c', 'ulimit -c; umask'],
    ['sh', '-c', 'grep -E "Sig(Ign|Blk|Cgt)" /proc/self/status'],
  ] as [string, ...string[]][])('gives the same bytes and status as a direct start: %j', async (...command) => {
    const [program, ...rest] = command;
    const viaLane = await runIn(opened, [program, ...rest]);
    const alone = direct(opened, [program, ...rest]);
    expect(viaLane.exitCode).toBe(alone.exitCode);
    expect(viaLane.stdout.equals(alone.stdout)).toBe(true);
    expect(masked(viaLane.stderr)).toBe(masked(alone.stderr));
    // A child that stood ready and was killed may have read more or less, so its lane retires.
    const isGone = ready && readyShells.includes(shell) && Number(alone.exitCode) > 128;
    expect(lane.state).toBe(isGone ? 'retired' : 'idle');
  });

  it('carries any bytes of arguments and environment but NUL', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 }).map((word) => word.replaceAll('\0', ''));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 4 }), text, async (words, value) => {
        const ran = await runIn(opened, ['sh', '-c', 'printf "%s\\0" "$@" "$V"', 'sh', ...words], {
          env: { V: value },
        });
        expect(ran.stdout.toString()).toBe([...words, value].map((word) => `${word}\0`).join(''));
      }),
      { numRuns: 60 },
    );
  });

  it.each([1_000, 1_023, 1_024, 1_025, 16_384, 131_071])('carries an argument of %i bytes', async (length) => {
    const ran = await runIn(opened, ['sh', '-c', 'printf %s "${#1}"', 'sh', 'x'.repeat(length)]);
    expect(ran.stdout.toString()).toBe(String(length));
  });

  it('leaves no trace of itself in the environment, and carries names that shells keep for themselves', async () => {
    const env = {
      A: 'it\'s\n$(id)`id`"',
      RANDOM: 'r',
      PPID: 'p',
      UID: 'u',
      IFS: 'x',
      PS4: 'y',
      LC_ALL: 'C.UTF-8',
      _cz_newline: 'z',
    };
    const ran = await runIn(opened, ['env', '-0'], { env });
    const seen = Object.fromEntries(
      ran.stdout
        .toString()
        .split('\0')
        .filter(Boolean)
        .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    );
    expect(seen).toEqual({ ...opened.env, ...env });
  });

  it('starts each program, so that it can be distinguished from the lane by its environment', async () => {
    const seen = await runIn(opened, ['cat', '/proc/self/environ', '/proc/self/cmdline'], { env: { MARK: 'mine' } });
    expect(seen.stdout.toString()).toMatch(/\0MARK=mine\0.*cat\0\/proc\/self\/environ\0\/proc\/self\/cmdline\0$/s);
  });

  it('starts in the given directory, and its opening mark reports a missing directory or program', async () => {
    expect((await runIn(opened, ['pwd'], { cwd: directory })).stdout.toString()).toBe(`${directory}\n`);
    const openings = async (command: readonly [string, ...string[]], cwd = '/') => {
      const running = start(opened, command, { cwd });
      const said = (['stdout', 'stderr'] as const).map((name) => running[name].toArray());
      return [await running.opening, await running.wait(), (await Promise.all(said)).flat()] as const;
    };
    const end = { signal: null, outOfMemory: false };
    expect(await openings(['pwd'], join(directory, 'absent'))).toEqual(['no-directory', { ...end, exitCode: 126 }, []]);
    const missing = ['not-found', { ...end, exitCode: 127, notStarted: 'not-found' }, []];
    expect(await openings(['no-such-program'])).toEqual(missing);
    expect(await openings(['/no/such/program'])).toEqual(missing);
    expect(await openings(['/etc'])).toEqual([
      'not-executable',
      { ...end, exitCode: 126, notStarted: 'not-executable' },
      [],
    ]);
    expect((await openings(['sh', '-c', 'exit 127']))[1]).toEqual({ ...end, exitCode: 127 });
    expect((await runIn(opened, ['pwd'], { cwd: '/tmp' })).stdout.toString()).toBe('/tmp\n');
  });

  it('says nothing of its own on the streams of a command, whatever the shell thinks of its variables', async () => {
    const env = { LC_CTYPE: 'xx_YY.UTF-8', LANG: 'xx_YY.UTF-8', LC_ALL: 'xx_YY', BASH_XTRACEFD: '77', OPTIND: 'x' };
    const ran = await runIn(opened, ['/bin/echo', 'hi'], { env });
    expect([ran.stdout.toString(), ran.stderr.toString()]).toEqual(['hi\n', '']);
  });

  it('shows the child the descriptors of a direct start, as a leader of its own session', async () => {
    const text =
      'for f in /proc/$$/fd/*; do echo "${f##*/}"; done; read -r p c s pp g sid rest </proc/$$/stat; [ "$g" = "$$" ] && [ "$sid" = "$$" ] && echo leader';
    const ran = await runIn(opened, ['sh', '-c', text]);
    expect(ran.stdout.toString()).toMatch(/leader\n$/);
    expect(ran.stdout.toString()).toBe(direct(opened, ['sh', '-c', text]).stdout.toString());
  });

  it('finds a program by the PATH of the command', async () => {
    const own = mkdtempSync(join(directory, 'bin-'));
    writeFileSync(join(own, 'mine'), '#!/bin/sh\necho mine\n', { mode: 0o755 });
    const PATH = `${own}:${opened.env.PATH}`;
    expect((await runIn(opened, ['mine'], { env: { A: 'a', PATH } })).stdout.toString()).toBe('mine\n');
    expect((await runIn(opened, ['mine'])).exitCode).toBe(127);
    expect((await runIn(opened, ['sh', '-c', 'exit 3'], { env: { PATH: own } })).exitCode).toBe(127);
  });

  it('is not ended by marks that a command prints', async () => {
    const ran = await runIn(opened, [
      'sh',
      '-c',
      'i=0; while [ $i -lt 200 ]; do printf "AAAAAAAAAAAAAAAAAAAAAAA:0:;"; i=$((i+1)); done; exit 9',
    ]);
    expect(ran.exitCode).toBe(9);
    expect(ran.stdout.length).toBe(200 * 27);
  });

  it('keeps the streams open while a child holds them, and is retired when they are given up', async () => {
    const running = start(opened, ['sh', '-c', 'sleep 5 & echo done']);
    let ended = false;
    running.stdout.on('end', () => {
      ended = true;
    });
    running.stdout.resume();
    running.stderr.resume();
    expect((await running.wait()).exitCode).toBe(0);
    await sleep(400);
    expect(ended).toBe(false);
    running.release();
    expect(lane.state).toBe('retired');
  });

  it('is idle again after a command that ran long, though the process that started it holds the other ends of its pipes', async () => {
    const ran = await runIn(opened, ['sh', '-c', 'sleep 2.2; echo done']);
    expect(ran.stdout.toString()).toBe('done\n');
    expect(lane.state).toBe('idle');
  });

  it('is not touched by an exec that lets go of it after its end', async () => {
    const first = start(opened, ['true']);
    first.stdout.resume();
    first.stderr.resume();
    await first.wait();
    while (lane.state !== 'idle') await sleep(1);
    const second = runIn(opened, ['sh', '-c', 'sleep 0.1; echo second']);
    first.release();
    await first.kill('SIGKILL');
    expect((await second).stdout.toString()).toBe('second\n');
    expect(lane.state).toBe('idle');
  });

  it('is idle again when a holder turns out to be just dying', async () => {
    const ran = await runIn(opened, ['sh', '-c', '(sleep 0.05) & echo done']);
    expect(ran.stdout.toString()).toBe('done\n');
    expect(lane.state).toBe('idle');
  });

  it('tells that an exec is lost, with its output, when the command kills the lane', async () => {
    const running = start(opened, ['sh', '-c', 'echo before; kill -9 $PPID; sleep 0.2; echo after']);
    const seen: Buffer[] = [];
    running.stdout.on('data', (chunk: Buffer) => seen.push(chunk));
    running.stderr.resume();
    await expect(running.wait()).rejects.toMatchObject({ code: 'unavailable' });
    expect(Buffer.concat(seen).toString()).toMatch(/^before\n/);
    expect(lane.state).toBe('retired');
  });

  it('is retired, without running it, by a request that a command injects', async () => {
    await runIn(opened, [
      'sh',
      '-c',
      `printf '%s\\n' "_cz_nonce=x; echo injected >${join(directory, 'mark')} #." >/proc/$PPID/fd/0 2>/dev/null || true`,
    ]).catch(() => undefined);
    await sleep(100);
    const after = lane.state === 'idle' ? await runIn(opened, ['echo', 'fine']) : null;
    expect(after === null || after.stdout.toString() === 'fine\n').toBe(true);
  });

  it('skips a request that was torn at any byte, and serves the next one', async () => {
    const whole = `_cz_run tornrequest / touch -- touch ${join(directory, 'torn')} #.`;
    for (let length = 1; length < whole.length; length += 9) opened.child.stdin.write(`${whole.slice(0, length)}\n`);
    expect(
      (await runIn(opened, ['sh', '-c', `[ ! -e '${join(directory, 'torn')}' ] && echo absent`])).stdout.toString(),
    ).toBe('absent\n');
  });
});

/** Pids and program names in shells' own messages differ by start. */
function masked(bytes: Buffer): string {
  return bytes.toString('latin1').replaceAll(/\d+/g, 'N');
}
