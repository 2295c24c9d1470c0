/** The input that a request brings for its command, in questions and in what an approval is for. */
import { hash } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { placeOf } from '../../src/guard/asked.ts';
import { callOf } from '../../src/guard/call.ts';
import { given } from '../../src/lib/given.ts';
import { shownInput } from '../../src/policy/approval/input.ts';
import type { Caller } from '../../src/values/caller.ts';
import { configured, guardOn } from './world.ts';

const plan = {
  taskId: 'build',
  spec: { backend: 'local', mounts: [] },
  guarantees: { isolation: 'none' },
} as const;
const agent: Caller = { owner: 'operator', token: 'tok_agent' };
const person: Caller = { owner: 'operator', token: 'tok_person' };

function shell(input: string | undefined, env: Readonly<Record<string, string>> = {}, user?: string) {
  const request = { execId: 'exec_1', cwd: '/srv', env, stdin: true, ...given({ user }) };
  return callOf({ plan, request, input, subject: { kind: 'argv', argv: ['sh'] } });
}

it('an approval for a command with one input holds for no other input, and for none that comes later', async () => {
  const guard = await guardOn(configured('approvals: {remote_timeout: 30}'), { approver: 'queue' });
  onTestFinished(() => guard.approvals.close());
  const ids: string[] = [];
  const question = { waits: false, onAsked: (id: string) => ids.push(id) };
  const refusal = async (input: string | undefined) =>
    await guard.gate.admit(shell(input), { caller: agent, question }).then(
      () => null,
      ({ details }) => Object(details).approvalId as unknown,
    );
  const asked = await refusal('echo harmless');
  await guard.queue.answer(String(asked), 'once', { name: 'x', env: {}, caller: person });
  for (const other of ['echo HARMFUL', undefined]) expect(await refusal(other)).toMatch(/^apr_/);
  expect(new Set([asked, await refusal('echo HARMFUL'), await refusal(undefined)]).size).toBe(3);
  await expect.poll(async () => await refusal('echo harmless')).toBeNull();
});

it('an approval for a command of one user holds for no other user, and its question names the user', async () => {
  const guard = await guardOn(configured('approvals: {remote_timeout: 30}'), { approver: 'queue' });
  onTestFinished(() => guard.approvals.close());
  const refusal = async (user: string | undefined) =>
    await guard.gate.admit(shell('echo harmless', {}, user), { caller: agent, question: { waits: false } }).then(
      () => null,
      ({ details }) => Object(details).approvalId as unknown,
    );
  const asked = await refusal('app');
  const [pending] = await guard.queue.list();
  expect(pending?.question).toMatchObject({ user: 'app' });
  expect(placeOf({ backend: 'docker', cwd: '/srv', user: 'app', stdin: false, input: null, variables: [] })).toEqual([
    'on docker',
    'in /srv',
    'as the user app',
  ]);
  await guard.queue.answer(String(asked), 'once', { name: 'x', env: {}, caller: person });
  for (const other of [undefined, 'root', 'app:users']) expect(await refusal(other)).toMatch(/^apr_/);
  await expect.poll(async () => await refusal('app')).toBeNull();
});

it('a question shows the input without the values of variables and what is not seen, and none where it comes later', async () => {
  const guard = await guardOn(configured('approvals: {remote_timeout: 30}'), { approver: 'queue' });
  onTestFinished(() => guard.approvals.close());
  const options = { caller: agent, question: { waits: false } };
  const env = { TOKEN: 'abcd-efgh-ijkl' };
  await guard.gate.admit(shell('echo abcd-efgh-ijkl\u001b[2J\nls', env), options).catch(() => undefined);
  await guard.gate.admit(shell(undefined), options).catch(() => undefined);
  const questions = (await guard.queue.list()).map(({ question: shown }) => shown);
  expect(questions).toMatchObject([
    { stdin: true, input: 'echo [TOKEN]\\x1b[2J\nls', cwd: '/srv', backend: 'local' },
    { stdin: true, input: null },
  ]);
});

it('a long input is shown by both ends and its hash, a binary one by its size, and no secret is cut open', () => {
  const secret = 'secret-of-forty-characters-0123456789abc';
  const redact = (text: string): string => text.replaceAll(secret, '***');
  const text = `${'a'.repeat(980)}${secret}${'b'.repeat(200_000)}${secret}${'c'.repeat(980)}`;
  const shown = shownInput(text, redact);
  expect(shown.length).toBeLessThan(2200);
  expect(shown).not.toMatch(/secret-of|0123456789abc/);
  expect(shown).toContain(`${text.length} characters is not shown; sha256 ${hash('sha256', text)}`);
  const bytes = Buffer.from([0xff, 0xfe, 0]);
  expect(shownInput(bytes, redact)).toBe(`binary: 3 bytes; sha256 ${hash('sha256', bytes)}`);
  expect(shownInput('', redact)).toBe('nothing: the input is empty');
});
