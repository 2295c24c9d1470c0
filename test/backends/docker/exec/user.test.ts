/** The look for a user before a command of that user starts; test/conformance/cases/users.ts has the rest. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellText } from '../../../../src/lib/script.ts';

it.each([
  ['root', '', 0],
  ['root', 'root', 0],
  ['4242', '', 0],
  ['4242', '4343', 0],
  ['root', '4343', 0],
  ['no-such-user', '', 91],
  ['roo', '', 91],
  ['no-such-user', 'root', 91],
  ['4242', 'no-such-group', 92],
  ['root', 'no-such-group', 92],
])('the look for user %s and group %j ends with %i', (user, group, status) => {
  const script = shellText('backends/docker/exec/user');
  expect(spawnSync('sh', ['-c', script, 'caisson-user', user, group]).status).toBe(status);
});
