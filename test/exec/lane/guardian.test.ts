/** The first process of a sandbox, as pid 1 of a namespace of its own. */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { deathNotice, guardianCommand } from '../../../src/exec/lane/guardian.ts';
import { Lane } from '../../../src/exec/lane/lane.ts';
import { laneStart } from '../../../src/exec/lane/script.ts';
import { newNonce } from '../../../src/exec/random.ts';
import { shellDirectory, shells } from '../kill/shells.ts';
import { started } from './shells.ts';

interface First extends Disposable {
  readonly nonce: string;
  readonly child: ChildProcessWithoutNullStreams;
  /** Pid on this host. */
  pid(): string;
}

const unshare = ['--pid', '--fork', '--kill-child', '--mount-proc'];

/** `programs`: nothing else is on its PATH; absent: all that this host has. */
function first(shell: string, programs?: readonly string[]): First {
  const directory = shellDirectory(shell);
  for (const program of programs ?? []) symlinkSync(`/usr/bin/${program}`, join(directory.path, program));
  const nonce = newNonce();
  const PATH = programs === undefined ? `${directory.path}:${process.env['PATH']}` : directory.path;
  const [, ...rest] = guardianCommand(nonce);
  const words = [...unshare, join(directory.path, 'sh'), ...rest];
  const child = spawn('/usr/bin/unshare', words, { env: { PATH }, cwd: '/', detached: true });
  return {
    nonce,
    child,
    pid: () => childrenOf(String(child.pid))[0] ?? '',
    [Symbol.dispose]: () => {
      child.kill('SIGKILL');
      rmSync(directory.path, { recursive: true });
    },
  };
}

const childrenOf = (pid: string): readonly string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean);
const stateOf = (pid: string): string => /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1] ?? '';

/** A lane that it keeps; `null` where none opens. */
async function laneIn({ child, nonce }: First): Promise<Lane> {
  const hello = newNonce();
  const lane = new Lane(started(child), { onChange: () => undefined, onOutlived: () => undefined });
  await lane.open({ nonce: hello, program: laneStart(hello).program, notice: deathNotice(nonce) });
  return lane;
}

async function said(lane: Lane, text: string): Promise<string> {
  const running = lane.run({ command: ['sh', '-c', text], cwd: '/', env: {} });
  running.stderr.resume();
  return Buffer.concat(await running.stdout.toArray()).toString();
}

it('says in at most 120 characters of arguments what it is, and nothing that is whole', () => {
  const nonce = newNonce();
  const words = guardianCommand(nonce).join(' ');
  expect(words.length).toBeLessThanOrEqual(120);
  expect(words).toContain('caisson-init');
  expect(words).not.toContain(deathNotice(nonce));
});

describe.each(shells)('the first process, in %s', (shell) => {
  it('reaps orphans and outlives signals while no program has come', async () => {
    using place = first(shell);
    await expect.poll(() => childrenOf(place.pid()).length).toBe(1);
    const enter = ['--target', place.pid(), '--pid', '--mount', 'sh', '-c'];
    execFileSync('nsenter', [
      ...enter,
      '(setsid sleep 1 >/dev/null 2>&1 &) ; kill -HUP 1; kill -INT 1; kill -PIPE 1; kill -TERM 1',
    ]);
    await expect.poll(() => childrenOf(place.pid()).length).toBe(2);
    await expect.poll(() => childrenOf(place.pid()).length, { timeout: 20_000 }).toBe(1);
    expect(childrenOf(place.pid()).map(stateOf)).not.toContain('Z');
    expect(await said(await laneIn(place), 'echo served')).toBe('served\n');
  });

  it('gives notice of a lane that a command kills, and keeps the next one', async () => {
    using place = first(shell);
    let heard = '';
    place.child.stdout.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    for (let count = 0; count < 2; count += 1) {
      const hello = newNonce();
      place.child.stdin.write(laneStart(hello).program);
      await expect.poll(() => heard).toContain(hello);
      heard = '';
      process.kill(Number(childrenOf(place.pid())[0]), 'SIGKILL');
      await expect.poll(() => heard).toContain(deathNotice(place.nonce));
    }
  });

  it('ends its lane when it is asked to, and waits for the next', async () => {
    using place = first(shell);
    const lane = await laneIn(place);
    const [copy = ''] = childrenOf(place.pid());
    lane.standReady();
    await sleep(100);
    lane.close();
    await expect.poll(() => childrenOf(place.pid())).not.toContain(copy);
    await expect.poll(() => childrenOf(place.pid()).length).toBe(1);
  });

  it('is heard by an exec whose command kills the lane, which is lost at once', async () => {
    using place = first(shell);
    const lane = await laneIn(place);
    const running = lane.run({ command: ['sh', '-c', 'kill -9 $PPID; sleep 60'], cwd: '/', env: {} });
    for (const stream of [running.stdout, running.stderr]) stream.resume();
    await expect(running.wait()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('sleeps where its input has ended', async () => {
    using place = first(shell, ['sleep']);
    place.child.stdin.end();
    await sleep(300);
    const before = childrenOf(place.pid());
    await sleep(300);
    expect(childrenOf(place.pid())).toEqual(before);
    expect(before.length).toBe(1);
  });
});
