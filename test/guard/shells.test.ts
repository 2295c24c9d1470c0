/** Questions about shells, and what a question shows. */
import { expect, it } from 'vitest';
import type { CaissonError } from '../../src/errors.ts';
import { shellStarter } from '../../src/values/shell-starter.ts';
import { answering, call, configured, guardOn, refusalOf } from './world.ts';

const config = 'approvals: {rules: {deny: ["terminal(git push:*)"]}}\n';
const inContainer = { reach: 'container', backend: 'docker', cwd: '/workspace', stdin: true } as const;

it('the shell of caisson sh is shown as a shell, with all that a question has', async () => {
  const approver = answering('deny');
  const guard = await guardOn(configured(config), { approver });
  const variables = [{ name: 'TERM', value: 'vt100' }];
  expect(await refusalOf(guard, call(shellStarter, { ...inContainer, variables }))).toBe('policy_denied');
  expect(approver.questions).toMatchObject([
    {
      title: 'ASKED BY RULE terminal(git push:*)',
      rule: 'terminal(git push:*)',
      display: 'sh',
      command: ['sh'],
      stdin: true,
      cwd: '/workspace',
      backend: 'docker',
      variables: ['TERM'],
      warnings: [],
      choices: ['once', 'session', 'deny'],
      covers: ['shells whose input is not judged for task build'],
    },
  ]);
  expect(JSON.stringify(approver.questions)).not.toMatch(/command -v|vt100/);
});

it('the answer session allows every shell of the task, wherever it starts, and none of another task', async () => {
  const approver = answering('session', 'deny');
  const guard = await guardOn(configured(config), { approver });
  expect(await refusalOf(guard, call(shellStarter, inContainer))).toBeNull();
  expect(await refusalOf(guard, call(['bash'], { ...inContainer, cwd: '/tmp' }))).toBeNull();
  expect(approver.questions).toHaveLength(1);
  expect(await refusalOf(guard, call(['bash'], { ...inContainer, taskId: 'other' }))).toBe('policy_denied');
  expect(await refusalOf(guard, call(['git', 'push'], { ...inContainer, stdin: false }))).toBe('policy_denied');
});

it('a refusal says which rule, what the answer would be, and what judges each line', async () => {
  const { gate } = await guardOn(configured(config));
  const error = await gate.admit(call(['sh'], inContainer), {}).then(
    () => null,
    (refused: CaissonError) => refused,
  );
  expect(error?.message).toContain('rule terminal(git push:*) could not be held; the answer session allows');
  expect(error?.remedy).toContain('caisson session run');
  expect(error?.remedy).not.toContain('use a container');
});
