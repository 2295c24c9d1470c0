/** Keys and variables of a current Hermes: what they do here. */
import { describe, expect, it } from 'vitest';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load.ts';
import { known } from '../config/known.ts';
import { answering, call, configured, directories, guardOn, refusalOf } from './world.ts';

const risky = 'rm -rf ./build';

describe('approvals.deny', () => {
  const denied = 'approvals:\n  deny: ["git push *", "*--no-verify*"]\n  mode: off\n';

  it('holds where questions are skipped, and in a container', async () => {
    const guard = await guardOn(configured(denied), { yolo: true });
    for (const reach of ['host', 'container'] as const) {
      expect(await refusalOf(guard, call('git push origin', { reach }))).toBe('policy_denied');
      expect(await refusalOf(guard, call('git commit -m x --no-verify', { reach }))).toBe('policy_denied');
      expect(await refusalOf(guard, call('git commit -m x', { reach }))).toBeNull();
    }
  });

  it('holds from the edit of the file on, before anything is reloaded', async () => {
    const made = configured('approvals: {mode: off}\n');
    const guard = await guardOn(made);
    expect(await refusalOf(guard, call('git push origin'))).toBeNull();
    writeFileSync(join(made.home, 'config.yaml'), denied);
    const edited = await loadConfig({ backends: known, home: made.home, env: {}, cwd: made.project });
    expect(await guard.rulebook.tighten(edited)).toBe(true);
    expect(await refusalOf(guard, call('git push origin'))).toBe('policy_denied');
  });

  it('is a list of texts, and an entry without a character is an error at its place', async () => {
    const made = configured('approvals:\n  deny:\n    - " "\n');
    const loading = loadConfig({ backends: known, home: made.home, env: {}, cwd: made.project });
    await expect(loading).rejects.toMatchObject({
      message: expect.stringMatching(/config\.yaml:3:7: approvals\.deny/),
    });
    expect(readFileSync(join(made.home, 'config.yaml'), 'utf8')).toContain('deny');
  });
});

describe('approvals.single_query_mode', () => {
  it.each([
    ['single_query_mode: approve', { HERMES_SINGLE_QUERY_SESSION: '1' }, null],
    ['single_query_mode: deny', { CAISSON_SINGLE_QUERY_SESSION: '1' }, 'approval_required'],
    [
      'single_query_mode: deny, cron_mode: approve',
      { CAISSON_SINGLE_QUERY_SESSION: '1', CAISSON_CRON_SESSION: '1' },
      'approval_required',
    ],
    ['single_query_mode: approve', {}, 'approval_required'],
  ])('%s with %j', async (keys, env, expected) => {
    const approver = answering('once');
    const guard = await guardOn(
      configured(`approvals: {${keys}}`),
      'CAISSON_SINGLE_QUERY_SESSION' in env ? { env, approver } : { env },
    );
    expect(await refusalOf(guard, call(risky))).toBe(expected);
    expect(approver.questions).toEqual([]);
  });
});

describe('EXEC_ASK', () => {
  it.each(['CAISSON_EXEC_ASK', 'HERMES_EXEC_ASK'])(
    '%s lets a question wait for an answer from elsewhere',
    async (name) => {
      const guard = await guardOn(configured('approvals: {unattended_mode: deny, timeout: 0.05, remote_timeout: 60}'), {
        env: { [name]: '1' },
      });
      const waiting = refusalOf(guard, call(risky));
      await expect.poll(async () => (await guard.queue.list()).length).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 150));
      const [row] = await guard.queue.list();
      await guard.queue.answer(row?.id ?? '', 'once', { name: 'a person elsewhere', env: {} });
      expect(await waiting).toBeNull();
    },
  );

  it('is a refusal when nobody answers in the time for those who are elsewhere', async () => {
    const guard = await guardOn(configured('approvals: {timeout: 60, remote_timeout: 0.2}'), {
      env: { HERMES_EXEC_ASK: 'true' },
    });
    expect(await refusalOf(guard, call(risky))).toBe('approval_required');
  });

  it('leaves the approver who is here in place, and an empty or false value changes nothing', async () => {
    const approver = answering('once');
    expect(
      await refusalOf(await guardOn(directories(), { approver, env: { HERMES_EXEC_ASK: '1' } }), call(risky)),
    ).toBeNull();
    expect(approver.questions).toHaveLength(1);
    for (const value of ['', '0', 'false'])
      expect(await refusalOf(await guardOn(directories(), { env: { HERMES_EXEC_ASK: value } }), call(risky))).toBe(
        'approval_required',
      );
  });
});
