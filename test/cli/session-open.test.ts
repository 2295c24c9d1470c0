import { expect, it } from 'vitest';
import { cli } from './cli.ts';

it('session open tells what could not be taken up', async () => {
  const sandboxes = [{ taskId: 'build', createdAt: '2026-01-01T00:00:00Z' }];
  expect(await cli(['session', 'open', 'build', 'dev'], { sandboxes })).toMatchObject({
    exitCode: 0,
    stdout: 'dev bash restored\n',
    stderr: 'caisson: taken up from its kept state, without functions\n',
  });
});
