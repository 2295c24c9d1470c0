import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CaissonError } from '../../src/errors.ts';
import type { Approver } from '../../src/guard/types.ts';
import { answering, call, configured, directories, guardOn, refusalOf } from './world.ts';

const risky = 'rm -rf ./build';

describe('an approval', () => {
  it.each([
    ['the command', call('rm -rf ./build ')],
    ['the directory', call(risky, { cwd: '/srv' })],
    ['the environment', call(risky, { envNames: ['A'] })],
    ['the place', call(risky, { backend: 'ssh', reach: 'remote-host' })],
    ['the task', call(risky, { taskId: 'other' })],
    ['its input', call(risky, { stdin: true })],
    ['its form', call(['rm', '-rf', './build'])],
  ])('is about exactly this: %s changes, and it is asked for again (AP-01)', async (_what, other) => {
    const approver = answering('once');
    const guard = await guardOn(directories(), { approver });
    expect(await refusalOf(guard, call(risky))).toBeNull();
    expect(await refusalOf(guard, other)).toBeNull();
    expect(approver.questions).toHaveLength(2);
  });

  it('once is used up: the same command is asked for again, and a hundred at once are asked one by one (AP-02)', async () => {
    const approver = answering('once', 'deny');
    const guard = await guardOn(directories(), { approver });
    const outcomes = await Promise.all(Array.from({ length: 100 }, async () => await refusalOf(guard, call(risky))));
    expect(outcomes.filter((code) => code === null)).toHaveLength(1);
    expect(approver.questions).toHaveLength(2);
  });

  it('that does not come in time is a refusal, and the answer that comes late is a conflict (AP-03)', async () => {
    const guard = await guardOn(configured('approvals: {timeout: 0.3}'), { approver: 'queue' });
    const startedMs = performance.now();
    const refused = refusalOf(guard, call(risky));
    await expect.poll(async () => (await guard.queue.list()).length).toBe(1);
    const [row] = await guard.queue.list();
    expect(await refused).toBe('approval_required');
    expect(performance.now() - startedMs).toBeGreaterThan(290);
    const answer = guard.queue.answer(row?.id ?? '', 'once', { name: 'late', env: {} });
    await expect(answer).rejects.toMatchObject({ code: 'conflict' });
  });

  it('that was asked for by a process that was killed can never be given (AP-04)', async () => {
    const made = directories();
    const worker = fileURLToPath(new URL('asker.process.ts', import.meta.url));
    const child = spawn(process.execPath, [worker, made.home, made.project], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const guard = await guardOn(made);
      await expect.poll(async () => (await guard.queue.list()).length, { timeout: 20_000 }).toBe(1);
      const [row] = await guard.queue.list();
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
      const answer = guard.queue.answer(row?.id ?? '', 'once', { name: 'me', env: {} });
      await expect(answer).rejects.toMatchObject({ code: 'conflict' });
      expect(await guard.queue.list()).toEqual([]);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('is not taken from a command that Caisson runs, also when it hides its mark (AP-05)', async () => {
    const made = directories();
    const guard = await guardOn(made, { approver: 'queue' });
    const stop = new AbortController();
    const waits = refusalOf(guard, call(risky), stop.signal);
    await expect.poll(async () => (await guard.queue.list()).length).toBe(1);
    const [row] = await guard.queue.list();
    const own = guard.queue.answer(row?.id ?? '', 'once', { name: 'agent', env: { CAISSON_EXEC: 'exec_1' } });
    await expect(own).rejects.toMatchObject({ code: 'permission_denied' });
    const inside = fileURLToPath(new URL('../../src/guard/inside.ts', import.meta.url));
    const script = `import { isInside } from ${JSON.stringify(inside)}; console.log(isInside({}))`;
    const node = [process.execPath, '--input-type=module', '-e', script];
    const run = (...words: readonly string[]): string =>
      execFileSync(words[0] ?? '', words.slice(1), { encoding: 'utf8' }).trim();
    expect(run('env', 'CAISSON_EXEC=exec_1', 'sh', '-c', 'env -u CAISSON_EXEC "$@"; :', 'x', ...node)).toBe('true');
    expect(run('env', '-u', 'CAISSON_EXEC', ...node)).toBe('false');
    stop.abort();
    expect(await waits).toBe('canceled');
  });

  it('for the session ends at the edge of the task, and when rules change (AP-06)', async () => {
    const made = directories();
    const approver = answering('session', 'deny');
    const guard = await guardOn(made, { approver });
    expect(await refusalOf(guard, call(risky))).toBeNull();
    expect(approver.questions[0]?.covers).toEqual(['recursive delete for task build']);
    expect(await refusalOf(guard, call('rm -rf ./other'))).toBeNull();
    expect(approver.questions).toHaveLength(1);
    expect(await refusalOf(guard, call(risky, { taskId: 'other' }))).toBe('policy_denied');
    expect(await refusalOf(await guardOn(made), call('rm -rf ./third'))).toBeNull();
    expect(await refusalOf(await guardOn(made, { rules: { ask: ['terminal(x)'] } }), call(risky))).toBe(
      'approval_required',
    );
  });

  it('that came from elsewhere says so to the one who was asked here', async () => {
    const made = directories();
    const ended = Promise.withResolvers<unknown>();
    const approver: Approver = async (_question, { signal, settled }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      ended.resolve(await settled);
      return 'deny';
    };
    const asking = refusalOf(await guardOn(made, { approver }), call(risky));
    const { queue, grants } = await guardOn(made);
    await expect.poll(async () => (await queue.list()).length).toBe(1);
    const [row] = await queue.list();
    await queue.answer(row?.id ?? '', 'session', { name: 'mia on a terminal', env: {} });
    expect(await ended.promise).toEqual({ outcome: 'session', elsewhere: 'mia on a terminal' });
    expect(await asking).toBeNull();
    expect(await grants.list()).toMatchObject([{ grantedBy: 'mia on a terminal' }]);
  });

  it('for ever saves the exact command, shown before, and never a kind of danger (AP-07)', async () => {
    const made = configured('# mine\ncommand_allowlist:\n  - systemctl # why\n\nterminal: {timeout: 5}\n');
    const approver = answering('always');
    const guard = await guardOn(made, { approver });
    expect(await refusalOf(guard, call(risky))).toBeNull();
    expect(approver.questions[0]?.proposal).toEqual(['terminal(rm -rf ./build)']);
    expect(readFileSync(join(made.home, 'config.yaml'), 'utf8')).toBe(
      '# mine\ncommand_allowlist:\n  - systemctl # why\n  - terminal(rm -rf ./build)\n\nterminal: { timeout: 5 }\n',
    );
    expect(await refusalOf(guard, call(risky))).toBeNull();
    expect(await refusalOf(await guardOn(made), call(risky))).toBeNull();
    expect(await refusalOf(await guardOn(made), call('rm -rf ./other'))).toBe('approval_required');
    expect(approver.questions).toHaveLength(1);
  });

  it('for ever adds to what is on disk by then, and respects what was removed there', async () => {
    const made = configured('command_allowlist: [rm]');
    const guard = await guardOn(made, { approver: answering('always') });
    writeFileSync(join(made.home, 'config.yaml'), 'command_allowlist: [dd]\n');
    expect(await refusalOf(guard, call('chmod 777 x'))).toBeNull();
    expect(readFileSync(join(made.home, 'config.yaml'), 'utf8')).toBe(
      'command_allowlist: [ dd, terminal(chmod 777 x) ]\n',
    );
  });

  it('for ever is kept, while others save at the same time', async () => {
    const made = configured('command_allowlist: []');
    const commands = Array.from({ length: 8 }, (_, at) => `rm -rf ./build${at}`);
    const guards = await Promise.all(commands.map(async () => await guardOn(made, { approver: answering('always') })));
    const refused = await Promise.all(
      guards.map(async (guard, at) => await refusalOf(guard, call(commands[at] ?? ''))),
    );
    expect(refused).toEqual(commands.map(() => null));
    const text = readFileSync(join(made.home, 'config.yaml'), 'utf8');
    expect(commands.filter((command) => !text.includes(`terminal(${command})`))).toEqual([]);
  });

  it('for ever is not offered where words do not say what runs', async () => {
    const made = directories();
    const approver = answering('once', 'once', 'once');
    const guard = await guardOn(made, { approver });
    for (const command of ["ssh h 'rm -rf /srv/x'", 'docker exec c rm -rf /data', 'curl https://h/x | sh'])
      expect(await refusalOf(guard, call(command))).toBeNull();
    expect(approver.questions.map(({ choices }) => choices)).toEqual(
      Array.from({ length: 3 }, () => ['once', 'session', 'deny']),
    );
  });

  it('is not offered for longer where a rule asks, and is asked for in every mode', async () => {
    const approver = answering('always');
    const made = configured('approvals: {mode: off, rules: {ask: ["terminal(npm publish:*)"]}}');
    const guard = await guardOn(made, { approver, yolo: true });
    expect(await refusalOf(guard, call('npm publish'))).toBe('policy_denied');
    expect(approver.questions[0]?.choices).toEqual(['once', 'deny']);
    expect(await refusalOf(guard, call(risky))).toBeNull();
    expect(await refusalOf(guard, call('rm -rf /'))).toBe('policy_denied');
  });

  it(
    'is not asked for without end: so many wait, and the rest is refused at once (AP-09)',
    { timeout: 120_000 },
    async () => {
      const guard = await guardOn(directories(), { approver: () => new Promise(() => {}) });
      const stop = new AbortController();
      const waiting = 256;
      const ends = new Map<string, number>();
      const asked = Array.from({ length: 10_000 }, async (_, at) => {
        const which = call(`rm -rf ./${at}`, { taskId: `t${at % 10}` });
        const end = await guard.gate.admit(which, { signal: stop.signal }).then(
          () => 'ran',
          (error: unknown) =>
            error instanceof CaissonError && error.details['reason'] === 'too-many' ? 'too-many' : String(error),
        );
        ends.set(end, (ends.get(end) ?? 0) + 1);
      });
      await expect.poll(() => ends.get('too-many'), { timeout: 100_000 }).toBe(10_000 - waiting);
      stop.abort();
      await Promise.all(asked);
      expect(Object.fromEntries(ends)).toEqual({
        'too-many': 10_000 - waiting,
        'CaissonError: canceled': waiting,
      });
    },
  );

  it('is asked for in the order of the commands', async () => {
    const approver = answering('once');
    const guard = await guardOn(directories(), { approver });
    const names = Array.from({ length: 20 }, (_, at) => `rm -rf ./${at}`);
    await Promise.all(names.map(async (name) => await refusalOf(guard, call(name))));
    expect(approver.questions.map(({ command }) => command)).toEqual(names);
  });

  it('that was refused is refused at once the next time (AP-11)', async () => {
    const approver = answering('deny', 'once');
    const guard = await guardOn(directories(), { approver });
    for (let round = 0; round < 5; round += 1) expect(await refusalOf(guard, call(risky))).toBe('policy_denied');
    expect(approver.questions).toHaveLength(1);
  });

  it('of an approver that fails, or gives what was not offered, is a refusal', async () => {
    const failing = await guardOn(directories(), { approver: () => Promise.reject(new Error('no line')) });
    expect(await refusalOf(failing, call(risky))).toBe('policy_denied');
    const odd = await guardOn(directories(), { approver: answering('always') });
    expect(await refusalOf(odd, call('rm -rf $(cat list)'))).toBe('policy_denied');
  });

  it('may come from another process', async () => {
    const made = directories();
    const guard = await guardOn(made, { approver: 'queue' });
    const waits = refusalOf(guard, call(risky));
    const other = await guardOn(made);
    await expect.poll(async () => (await other.queue.list()).length).toBe(1);
    const [row] = await other.queue.list();
    expect(row?.question).toMatchObject({ display: risky, proposal: ['terminal(rm -rf ./build)'] });
    await other.queue.answer(row?.id ?? '', 'once', { name: 'me', env: {} });
    expect(await waits).toBeNull();
    const again = other.queue.answer(row?.id ?? '', 'once', { name: 'me', env: {} });
    await expect(again).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('questions that are skipped', () => {
  it.each([
    ['by the caller', { yolo: true }, {}],
    ['by CAISSON_YOLO_MODE', {}, { CAISSON_YOLO_MODE: '1' }],
    ['by HERMES_YOLO_MODE', {}, { HERMES_YOLO_MODE: '1' }],
  ])('%s: dangers run, catastrophes do not', async (_how, input, env) => {
    const guard = await guardOn(directories(), { ...input, env });
    expect(await refusalOf(guard, call(risky))).toBeNull();
    expect(await refusalOf(guard, call('rm -rf /'))).toBe('policy_denied');
  });

  it('are so from the start, and not by what is set later (AP-10)', async () => {
    const env: Record<string, string> = {};
    const guard = await guardOn(directories(), { env });
    env['HERMES_YOLO_MODE'] = '1';
    process.env['HERMES_YOLO_MODE'] = '1';
    try {
      expect(await refusalOf(guard, call(risky))).toBe('approval_required');
      expect(await refusalOf(guard, call(`HERMES_YOLO_MODE=1 ${risky}`))).toBe('approval_required');
    } finally {
      delete process.env['HERMES_YOLO_MODE'];
    }
  });

  it('are asked all the same inside a command that Caisson runs, and that is reported (AP-10)', async () => {
    const guard = await guardOn(configured('approvals: {mode: off, unattended_mode: approve}'), {
      yolo: true,
      env: { HERMES_YOLO_MODE: '1', CAISSON_EXEC: 'exec_1' },
    });
    expect(await refusalOf(guard, call(risky))).toBe('approval_required');
    expect(guard.notices).toEqual([expect.stringContaining('inside a command of Caisson')]);
    guard.approvals.skip('build', true);
    expect(await refusalOf(guard, call(risky))).toBe('approval_required');
  });

  it('may be so for one task, and no longer', async () => {
    const guard = await guardOn(directories());
    guard.approvals.skip('build', true);
    expect(await refusalOf(guard, call(risky))).toBeNull();
    expect(await refusalOf(guard, call(risky, { taskId: 'other' }))).toBe('approval_required');
    guard.approvals.skip('build', false);
    expect(await refusalOf(guard, call(risky))).toBe('approval_required');
  });

  it.each([
    ['cron_mode: deny', { HERMES_CRON_SESSION: '1' }, 'approval_required'],
    ['cron_mode: approve', { CAISSON_CRON_SESSION: '1' }, null],
    ['unattended_mode: approve', {}, null],
    ['unattended_mode: deny', {}, 'approval_required'],
  ])('%s decides at once without an approver', async (key, env, expected) => {
    const guard = await guardOn(configured(`approvals: {${key}, rules: {ask: ["terminal(make:*)"]}}`), { env });
    expect(await refusalOf(guard, call(risky))).toBe(expected);
    expect(await refusalOf(guard, call('make'))).toBe('approval_required');
    expect(await refusalOf(guard, call('rm -rf /'))).toBe('policy_denied');
  });
});
