/** Lanes that start the process of the next command ahead. */
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { longestReadyText, readyText } from '../../../src/exec/lane/script.ts';
import { shells } from '../kill/shells.ts';
import { type ShellLane, openLane, readyShells, runIn, start } from './shells.ts';

const directory = mkdtempSync(join(tmpdir(), 'caisson-ready-'));
afterAll(() => rmSync(directory, { recursive: true }));

const childrenOf = (pid: string): readonly string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean);

/** Its shell, which the first process of a place of its own has started. */
function laneOf({ child }: ShellLane): string {
  const [first = ''] = childrenOf(String(child.pid));
  return childrenOf(first)[0] ?? '';
}

it('the text of the process that waits fits into a pipe at once, so that no process has to write it', () => {
  expect(Buffer.byteLength(readyText())).toBeLessThanOrEqual(longestReadyText);
});

const cannot = [
  ...shells.filter((shell) => !readyShells.includes(shell)).map((shell) => ({ shell, where: 'among its own' })),
  ...shells.map((shell) => ({ shell, where: 'among processes of others' })),
];

describe.each(cannot)('a lane of $shell, $where, that is to stand ready', ({ shell, where }) => {
  it('starts nothing ahead, and takes the request itself', async () => {
    using opened = await openLane(shell, { ready: where === 'among its own' });
    const shellPid = opened.ready ? laneOf(opened) : String(opened.child.pid);
    opened.lane.standReady();
    await sleep(100);
    expect(childrenOf(shellPid)).toEqual([]);
    expect((await runIn(opened, ['echo', 'fine'])).stdout.toString()).toBe('fine\n');
  });
});

describe.each(readyShells)('the process that waits in a lane of %s', (shell) => {
  let opened: ShellLane;
  beforeEach(async () => {
    opened = await openLane(shell, { ready: true });
  });
  afterEach(() => opened[Symbol.dispose]());

  /** The process that waits in it. */
  async function waiting(): Promise<string> {
    opened.lane.standReady();
    const found = (): string => childrenOf(laneOf(opened))[0] ?? '';
    await expect.poll(() => found() !== '' && readFileSync(`/proc/${found()}/cmdline`, 'latin1')).toContain('\0r1\0');
    return found();
  }

  it('becomes the command', async () => {
    const inside = /^NSpid:.*\t(\d+)$/m.exec(readFileSync(`/proc/${await waiting()}/status`, 'latin1'))?.[1];
    expect((await runIn(opened, ['sh', '-c', 'echo $$'])).stdout.toString()).toBe(`${inside}\n`);
    expect((await runIn(opened, ['sh', '-c', 'echo $$'])).stdout.toString()).not.toBe(`${inside}\n`);
  });

  it('when it is killed before its command came, nothing of that runs, neither then nor later', async () => {
    const child = await waiting();
    const mark = join(directory, `ran-${shell}`);
    process.kill(Number(child), 'SIGKILL');
    const reported = runIn(opened, ['touch', mark]).then(
      ({ exitCode }) => exitCode,
      ({ code }: { readonly code: unknown }) => code,
    );
    // Lost, when the lane is gone before the request is on its way.
    expect([137, 'unavailable']).toContain(await reported);
    expect(opened.lane.state).toBe('retired');
    // 141 is SIGPIPE: the lane was retired for its first mark, before it had written the second.
    await expect.poll(() => [79, 141].includes(opened.child.exitCode ?? 0)).toBe(true);
    expect(existsSync(mark)).toBe(false);
  });

  it('when it is killed unasked, the lane is retired', async () => {
    process.kill(Number(await waiting()), 'SIGTERM');
    await expect.poll(() => opened.lane.state).toBe('retired');
  });

  it('takes no request that was meant for another', async () => {
    const mark = join(directory, `other-${shell}`);
    await waiting();
    opened.child.stdin.write(`_cz_now r0 / -- touch ${mark} #.\n`);
    expect((await runIn(opened, ['echo', 'mine'])).stdout.toString()).toBe('mine\n');
    opened.child.stdin.write(`_cz_now r1 / -- touch ${mark} #.\n`);
    expect((await runIn(opened, ['echo', 'next'])).stdout.toString()).toBe('next\n');
    expect(existsSync(mark)).toBe(false);
  });

  it('looks at none that was there before while numbers cannot have come round', async () => {
    const bin = join(directory, `bin-${shell}`);
    mkdirSync(bin);
    writeFileSync(join(bin, 'cat'), '#!/bin/sh\necho 4194304\n', { mode: 0o755 });
    const text = `sleep 60 & PATH=${bin}:$PATH; "$@"; exit $?`;
    using beside = await openLane(shell, { ready: true, first: ['sh', '-c', text, 'first'] });
    beside.lane.standReady();
    await sleep(2_500);
    const running = start(beside, ['true']);
    for (const stream of [running.stdout, running.stderr]) stream.resume();
    await running.wait();
    expect(beside.lane.state).toBe('idle');
  });

  it('finds out who holds its streams, also after it has stood for long', async () => {
    await waiting();
    await sleep(2_500);
    const running = start(opened, ['sh', '-c', 'sleep 1 & echo done']);
    const closed = once(running.stdout.resume(), 'end');
    running.stderr.resume();
    await running.wait();
    expect(opened.lane.state).toBe('checking');
    await closed;
    expect((await runIn(opened, ['echo', 'fine'])).stdout.toString()).toBe('fine\n');
  });
});
