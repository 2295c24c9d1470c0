import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { run, sh } from '../command.ts';
import type { Suite } from '../suite.ts';

/** What a process gets from the one that started it, beside arguments, environment and directory. */
export function inheritanceCases(suite: Suite): void {
  suite.test('inheritance.signals', 'starts a command with no signal ignored or blocked', async (place) => {
    const { stdout } = await run(await place.sandbox(), ['grep', '-E', '^Sig(Ign|Blk):', '/proc/self/status']);
    expect(stdout.toString().replaceAll('\t', '')).toBe('SigBlk:0000000000000000\nSigIgn:0000000000000000\n');
  });

  suite.test('inheritance.descriptors', 'hands no descriptor of the service to a command', async (place) => {
    // The listing itself holds one while it lasts.
    const list = ['sh', '-c', 'for fd in /proc/$$/fd/*; do [ -L "$fd" ] && echo "$fd"; done; true'] as const;
    const { stdout } = await run(await place.sandbox(), list);
    // What the service itself was started with it cannot keep to itself: a plain child on this host has it too.
    const host = place.guarantees.isolation === 'none' ? numbers(String(spawnSync(list[0], list.slice(1)).stdout)) : [];
    expect(numbers(stdout.toString()).filter((fd) => fd > 2 && !host.includes(fd))).toEqual([]);
  });

  suite.test('inheritance.session', 'starts a command as the leader of its own group', async (place) => {
    const { stdout } = await sh(
      await place.sandbox(),
      'read -r pid name state ppid group rest </proc/$$/stat; [ "$pid" = "$group" ] && echo leader',
    );
    expect(stdout.toString()).toBe('leader\n');
  });

  suite.test(
    'inheritance.umask',
    'starts a command with a umask that lets others read, as a login does',
    async (place) => {
      expect(['0022\n', '0002\n']).toContain((await sh(await place.sandbox(), 'umask')).stdout.toString());
    },
  );

  suite.test('inheritance.no-terminal', 'has no terminal', async (place) => {
    expect((await sh(await place.sandbox(), '[ -t 0 ] || [ -t 1 ] || [ -t 2 ]')).exitCode).toBe(1);
  });
}

function numbers(text: string): readonly number[] {
  return text
    .trim()
    .split('\n')
    .map((path) => Number(path.slice(path.lastIndexOf('/') + 1)));
}
