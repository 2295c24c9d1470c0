/** Answers and rules of owners of the service. */
import { expect, it } from 'vitest';
import type { Guard } from '../../src/guard/open.ts';
import type { Caller } from '../../src/values/caller.ts';
import { call, configured, guardOn } from './world.ts';

const config = 'approvals: {remote_timeout: 30}';
const of = (owner: string, token: string): Caller => ({ owner, token: `tok_${token}` });

/** The code of the refusal; `null` when it passes. */
const codeOf = async (admitted: Promise<unknown>): Promise<unknown> =>
  await admitted.then(
    () => null,
    (error: unknown) => Reflect.get(Object(error), 'code'),
  );

function ask({ gate }: Guard, caller: Caller, taskId: string, waits: boolean) {
  return codeOf(gate.admit(call('rm -rf ./build', { taskId, execId: null }), { caller, question: { waits } }));
}

it('"always" holds for the owner of the task alone, in this process and in later ones', async () => {
  const made = configured(config);
  const guard = await guardOn(made, { approver: 'queue' });
  const waiting = ask(guard, of('alice', 'agent'), 'alice.build', true);
  await expect.poll(async () => (await guard.queue.list()).length, { timeout: 20_000 }).toBe(1);
  const [question] = await guard.queue.list();
  expect([question?.taskId, question?.question['covers']]).toEqual([
    'alice.build',
    [expect.stringMatching(/for task build$/)],
  ]);
  await guard.queue.answer(question?.id ?? '', 'always', { name: 'x', env: {}, caller: of('alice', 'person') });
  expect(await waiting).toBeNull();
  const later = await guardOn(made, { approver: 'queue' });
  for (const each of [guard, later]) {
    expect(await ask(each, of('alice', 'agent'), 'alice.other', false)).toBeNull();
    expect(await ask(each, of('bob', 'agent'), 'bob.build', false)).toBe('approval_required');
    expect(await ask(each, of('operator', 'agent'), 'build', false)).toBe('approval_required');
    each.approvals.close();
  }
});

it('what the operator has answered "always" to is asked of other owners', async () => {
  const guard = await guardOn(configured(`${config}\ncommand_allowlist: ["terminal(rm -rf ./build)"]`), {
    approver: 'queue',
  });
  expect(await ask(guard, of('operator', 'agent'), 'build', false)).toBeNull();
  expect(await ask(guard, of('alice', 'agent'), 'alice.build', false)).toBe('approval_required');
  guard.approvals.close();
});

it('a question that another owner has asked is not there for the operator’s tokens either', async () => {
  const guard = await guardOn(configured(config), { approver: 'queue' });
  const waiting = ask(guard, of('alice', 'agent'), 'alice.build', true);
  await expect.poll(async () => (await guard.queue.list()).length, { timeout: 20_000 }).toBe(1);
  expect(await guard.queue.list(of('operator', 'person'))).toEqual([]);
  const [question] = await guard.queue.list(of('alice', 'person'));
  await guard.queue.answer(question?.id ?? '', 'deny', { name: 'x', env: {}, caller: of('alice', 'person') });
  expect(await waiting).toBe('policy_denied');
  guard.approvals.close();
});

it('rules of an owner hold for that owner beside those of the operator, whose deny wins', async () => {
  const rules =
    'owners: {alice: {rules: {deny: ["terminal(git:*)"], allow: ["terminal(rm -rf ./build)", "terminal(make)"]}}}';
  const guard = await guardOn(
    configured(`approvals: {remote_timeout: 30, rules: {deny: ["terminal(make)"]}}\n${rules}`),
    {
      approver: 'queue',
    },
  );
  const judged = async (owner: string, command: string): Promise<unknown> =>
    await codeOf(
      guard.gate.admit(call(command, { taskId: owner === 'operator' ? 'build' : `${owner}.build`, execId: null }), {
        caller: of(owner, 'agent'),
        question: { waits: false },
      }),
    );
  expect([await judged('alice', 'git status'), await judged('bob', 'git status')]).toEqual(['policy_denied', null]);
  expect(await judged('operator', 'git status')).toBeNull();
  expect([await judged('alice', 'rm -rf ./build'), await judged('bob', 'rm -rf ./build')]).toEqual([
    null,
    'approval_required',
  ]);
  expect([await judged('alice', 'make'), await judged('bob', 'make')]).toEqual(['policy_denied', 'policy_denied']);
  guard.approvals.close();
});
