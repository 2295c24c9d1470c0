import { describe, expect, it } from 'vitest';
import { answering, call, configured, directories, guardOn, refusalOf } from './world.ts';

const risky = 'rm -rf ./build';

describe('an answer for the session', () => {
  it('holds in the next process for what it says: a kind of danger, or exactly this command', async () => {
    const made = configured('approvals: {tool_mode: supervised}');
    const approver = answering('session');
    expect(await refusalOf(await guardOn(made, { approver }), call('make test'))).toBeNull();
    expect(approver.questions[0]?.covers).toEqual(['exactly this command for task build']);
    const guard = await guardOn(made);
    expect(await refusalOf(guard, call('make test'))).toBeNull();
    expect(await refusalOf(guard, call('make other'))).toBe('approval_required');
    expect(await guard.grants.list()).toMatchObject([{ taskId: 'build', covers: ['only make test'] }]);
  });

  it('ends when it is revoked, also in a process that runs', async () => {
    const guard = await guardOn(directories(), { approver: answering('session', 'deny') });
    expect(await refusalOf(guard, call(risky))).toBeNull();
    const [grant] = await guard.grants.list();
    expect(await guard.grants.revoke(grant?.id ?? '')).toEqual(grant);
    expect(await guard.grants.revoke(grant?.id ?? '')).toBeNull();
    expect(await refusalOf(guard, call(risky))).toBe('policy_denied');
  });

  it.each([
    ['0.3', 'approval_required'],
    ['null', null],
  ])('ends after approvals.session_seconds (%s)', async (seconds, expected) => {
    const made = configured(`approvals: {session_seconds: ${seconds}}`);
    expect(await refusalOf(await guardOn(made, { approver: answering('session') }), call(risky))).toBeNull();
    const guard = await guardOn(made);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(await refusalOf(guard, call(risky))).toBe(expected);
  });
});
