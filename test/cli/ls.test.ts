/** Lists of sandboxes, and what they use, on a terminal and for programs. */
import { expect, it } from 'vitest';
import type { SandboxView } from '../../src/service/api.ts';
import { cli } from './cli.ts';

const sandboxes: readonly Partial<SandboxView>[] = [
  {
    taskId: 'b',
    state: 'ready',
    createdAt: '2026-01-02T11:00:00Z',
    usedAt: '2026-01-02T11:59:00Z',
    labels: { team: 'x' },
  },
  { taskId: 'a', state: 'stopped', createdAt: '2026-01-02T10:00:00Z', usedAt: '2026-01-02T11:00:00Z' },
  { taskId: 'c', state: 'destroying', createdAt: '2026-01-01T10:00:00Z', usedAt: '2026-01-02T11:30:00Z' },
];

it.each([
  ['task', 'abc'],
  ['state', 'cba'],
  ['age', 'cab'],
  ['idle', 'acb'],
])('ls --sort %s orders its rows', async (order, wanted) => {
  expect((await cli(['ls', '-q', '--sort', order], { sandboxes })).stdout).toBe(
    [...wanted].map((task) => `${task}\n`).join(''),
  );
});

it('ls refuses another order, and names the nearest', async () => {
  const { exitCode, stderr } = await cli(['ls', '--sort', 'stat'], { sandboxes });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('did you mean state?')]);
});

it('ls has labels, short ages, colours by state and a summary on a terminal', async () => {
  const { stdout } = await cli(['ls'], { sandboxes, terminal: true, env: { FORCE_COLOR: '1' } });
  expect(stdout).toMatch(/AGE +IDLE/);
  expect(stdout).toMatch(/\u001b\[32mready\u001b\[39m .*1h +1m\n/);
  expect(stdout).toContain('\u001b[33mdestroying\u001b[39m');
  expect(stdout.endsWith('3 sandboxes: 1 ready, 1 stopped, 1 destroying\n')).toBe(true);
  const piped = await cli(['ls'], { sandboxes });
  expect([piped.stdout.split('\n').length, piped.stderr]).toEqual([5, '']);
  expect(piped.stdout).toMatch(/LABELS.*\n.*team=x/);
});

it('an empty list has a word for people, and a head for programs', async () => {
  const seen = await cli(['ls'], { terminal: true, env: { NO_COLOR: '1' } });
  expect([seen.stdout, seen.stderr]).toEqual(['', expect.stringContaining('there is no sandbox of the kind')]);
  const piped = await cli(['ls']);
  expect([piped.stdout.startsWith('TASK '), piped.stderr]).toEqual([true, '']);
});

it('stats and top of all count those without figures, and do not fail', async () => {
  const mixed = [{ taskId: 'build' }, { taskId: 'one', backend: 'local' }, { taskId: 'two', backend: 'local' }];
  const { exitCode, stdout, stderr } = await cli(['stats'], { sandboxes: mixed });
  expect([exitCode, stdout.split('\n').length]).toEqual([0, 3]);
  expect(stderr).toBe('caisson: 2 sandboxes without figures: caisson top tells why\n');
  const top = await cli(['top', '-n', '1'], { sandboxes: mixed });
  expect([top.exitCode, top.stdout.split('\n')[0]]).toEqual([
    0,
    expect.stringMatching(/^3 sandboxes, 1 with figures, 2 without/),
  ]);
});
