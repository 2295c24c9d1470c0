/** The look for a user before a command of that user starts; test/conformance/cases/users.ts has the rest. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellText } from '../../../../src/lib/script.ts';

it.each([
  ['root', '', 0, '0:0'],
  ['0', '', 0, '0:0'],
  ['000', '', 0, '0:0'],
  ['daemon', '', 0, '1:1'],
  ['1', '', 0, '1:1'],
  ['root', 'root', 0, '0:0'],
  ['4242', '', 0, '4242:0'],
  ['4242', '4343', 0, '4242:4343'],
  ['root', '4343', 0, '0:4343'],
  ['no-such-user', '', 91, ''],
  ['roo', '', 91, ''],
  ['no-such-user', 'root', 91, ''],
  ['4242', 'no-such-group', 92, ''],
  ['root', 'no-such-group', 92, ''],
])('the look for user %s and group %j ends with %i and prints %j', (user, group, status, text) => {
  const script = shellText('backends/docker/exec/user');
  const look = spawnSync('sh', ['-c', script, 'caisson-user', user, group], { encoding: 'utf8' });
  expect([look.status, look.stdout.trim()]).toEqual([status, text]);
});
