/** How a lane finds out, by the numbers of processes, who of those born during a command still holds its streams. */
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shells } from '../kill/shells.ts';
import { type ShellLane, openLane, runIn, start } from './shells.ts';

const lastPid = '/proc/sys/kernel/ns_last_pid';
const forks = 'i=0; while [ $i -lt 150 ]; do (:); i=$((i+1)); done';

/** Begins a thread while a command runs, and holds the streams of the lane as every first process does. */
const threaded = `const { spawn } = require('node:child_process'); const { Worker } = require('node:worker_threads');
spawn(process.argv[1], process.argv.slice(2), { stdio: 'inherit' });
setTimeout(() => new Worker('setInterval(() => {}, 1000)', { eval: true }), 700);`;

it.each(shells)('a lane of %s does not take a thread for a process that was born during its command', async (shell) => {
  using opened = await openLane(shell, { first: [process.execPath, '-e', threaded] });
  const { exitCode } = await runIn(opened, ['sleep', '1.2']);
  expect([exitCode, opened.lane.state]).toEqual([0, 'idle']);
});

describe.each(shells.flatMap((shell) => [true, false].map((ready) => ({ shell, ready }))))(
  'a lane of $shell, ready $ready,',
  ({ shell, ready }) => {
    let opened: ShellLane;
    beforeEach(async () => {
      opened = { ...(await openLane(shell, { ready: true })), ready };
    });
    afterEach(() => opened[Symbol.dispose]());

    /** Whether a command that leaves a process behind holds its lane. */
    async function heldBy(text: string): Promise<boolean> {
      const running = start(opened, ['sh', '-c', text]);
      const closed = once(running.stdout.resume(), 'end');
      running.stderr.resume();
      await running.wait();
      const isHeld = opened.lane.state === 'checking';
      await closed;
      return isHeld;
    }

    it('is not taken for one of them when numbers come round to its own', async () => {
      await runIn(opened, ['sh', '-c', `echo 1 >${lastPid}`]);
      expect((await runIn(opened, ['cat', lastPid])).stdout.toString()).toMatch(/^\d\n$/);
      expect(opened.lane.state).toBe('idle');
      expect(await heldBy('sleep 0.5 &')).toBe(true);
      expect((await runIn(opened, ['echo', 'fine'])).stdout.toString()).toBe('fine\n');
    });

    it('finds one among many, and none where it is absent', async () => {
      await runIn(opened, ['sh', '-c', forks]);
      expect(opened.lane.state).toBe('idle');
      expect(await heldBy(`sleep 1 & ${forks}`)).toBe(true);
      expect((await runIn(opened, ['echo', 'fine'])).stdout.toString()).toBe('fine\n');
    });
  },
);
