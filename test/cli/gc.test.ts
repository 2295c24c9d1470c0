import { expect, it } from 'vitest';
import { cli } from './cli.ts';

it('gc gives up one sandbox by its name, once', async () => {
  const garbage = [{ kind: 'sandbox', backend: 'kubernetes', name: 'sbx_1', taskId: 'build', why: 'gone' }] as const;
  const { exitCode, stderr, double } = await cli(['gc', '--force', 'build'], { garbage });
  expect(double.calls).toContain('gc for real of build');
  expect([exitCode, stderr]).toEqual([0, 'caisson: 1 thing given up\n']);
  expect((await cli(['gc', '--force', 'build', '--dry-run'])).double.calls).toContain('gc dry of build');
  const repeated = await cli(['gc', '--force', 'build', '--every', '10m']);
  expect([repeated.exitCode, repeated.double.calls]).toEqual([2, []]);
});
