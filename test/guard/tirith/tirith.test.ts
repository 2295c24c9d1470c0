/** A real program in the place of tirith, run by the real gate. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Question } from '../../../src/service/api.ts';
import { scanAnswerOf } from '../../../src/guard/tirith/answer.ts';
import { openCaisson } from '../../../src/main.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'caisson-tirith-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function standIn(body: string): void {
  writeFileSync(join(home, 'tirith'), `#!/bin/sh\nprintf '%s\\n' "$@" > ${home}/seen\n${body}\n`);
  chmodSync(join(home, 'tirith'), 0o755);
}

const finding = (title: string) => `echo '{"findings": [{"rule_id": "x", "severity": "HIGH", "title": "${title}"}]}'`;

/** Runs a command after each answer; gives what was asked, or the refusal. */
async function asked(
  security: string,
  answer: 'once' | 'session' | 'deny' = 'once',
  command = 'echo hi',
  yolo = false,
) {
  writeFileSync(join(home, 'config.yaml'), `terminal: {backend: local}\nsecurity: {${security}}\n`, { mode: 0o600 });
  const questions: Question[] = [];
  const approver = (question: Question) => {
    questions.push(question);
    return Promise.resolve(answer);
  };
  const env = { PATH: `${home}:${process.env['PATH'] ?? ''}`, HOME: home };
  const caisson = await openCaisson({ home, env, cwd: home, approver, yolo });
  const run = () => caisson.run({ taskId: 'build', command: ['sh', '-c', command], cwd: '/tmp' });
  try {
    await run();
    await run();
    return { questions, refused: null };
  } catch (error) {
    return { questions, refused: error };
  } finally {
    await caisson.close();
  }
}

const refusal = (message: string) =>
  expect.objectContaining({ code: 'policy_denied', message: expect.stringContaining(message) });

describe('tirith', () => {
  it('is asked by its documented arguments, and found on the PATH', async () => {
    standIn('exit 0');
    expect(await asked('tirith_enabled: true')).toEqual({ questions: [], refused: null });
    expect(readFileSync(join(home, 'seen'), 'utf8').split('\n')).toEqual(
      'check --json --non-interactive --shell posix --'.split(' ').concat('echo hi', ''),
    );
  });

  it('joins its warnings to the one question about a command', async () => {
    standIn(`${finding('Homograph URL')}; exit 2`);
    const { questions, refused } = await asked('tirith_enabled: true', 'once', 'rm -rf ./caisson-not-there');
    expect(refused).toBeNull();
    expect(questions).toHaveLength(2);
    expect(questions[0]?.findings.map(({ description }) => description)).toEqual([
      'recursive delete',
      'tirith warns: Homograph URL',
    ]);
  });

  it('asks about what policy alone would let through, and can be answered for the session, but not for ever', async () => {
    standIn(`${finding('Homograph URL')}; exit 2`);
    const { questions, refused } = await asked('tirith_enabled: true', 'session');
    expect([questions.length, questions[0]?.choices, refused]).toEqual([1, ['once', 'session', 'deny'], null]);
  });

  it('is refused with its words when the answer is no', async () => {
    standIn(`${finding('Homograph URL')}; exit 2`);
    expect((await asked('tirith_enabled: true', 'deny')).refused).toEqual(refusal('Homograph URL'));
  });

  it('blocks as configured: by a question, or at once and whatever is skipped', async () => {
    standIn(`${finding('pipe to shell')}; exit 1`);
    const prompted = await asked('tirith_block: prompt');
    expect([prompted.questions.length, prompted.refused]).toEqual([2, null]);
    const rejected = await asked('tirith_block: deny', 'once', 'echo hi', true);
    expect([rejected.questions.length, rejected.refused]).toEqual([0, refusal('tirith would block it: pipe to shell')]);
  });

  it('is skipped where questions are', async () => {
    standIn(`${finding('Homograph URL')}; exit 2`);
    expect(await asked('tirith_enabled: true', 'deny', 'echo hi', true)).toEqual({ questions: [], refused: null });
  });

  it('is not run when it is switched off', async () => {
    standIn('exit 1');
    expect((await asked('tirith_enabled: false')).refused).toBeNull();
    expect(existsSync(join(home, 'seen'))).toBe(false);
  });

  const failures = {
    'is not there': ['exit 0', 'tirith_path: /nowhere/tirith'],
    'takes too long': ['sleep 30', 'tirith_timeout: 1'],
    'exits with another code': ['exit 7', 'tirith_timeout: 5'],
    'is killed': ['kill -9 $$', 'tirith_timeout: 5'],
  } as const;

  it.each(Object.entries(failures))(
    'that %s is passed over, or refuses, as configured (CP-24)',
    async (_, [body, keys]) => {
      standIn(body);
      expect(await asked(`${keys}, tirith_fail_open: true`)).toEqual({ questions: [], refused: null });
      expect((await asked(`${keys}, tirith_fail_open: false`)).refused).toEqual(refusal('tirith could not look at it'));
    },
    30_000,
  );
});

describe('what it says', () => {
  const ended = (exitCode: number, stdout: string) => scanAnswerOf({ kind: 'exited', exitCode, stdout, stderr: '' });

  it('only adds to the exit code', () => {
    expect(ended(0, '{"findings":[{"title":"x"}]}')).toEqual({ kind: 'allow' });
    expect(ended(1, 'no JSON')).toEqual({ kind: 'block', reasons: ['it gave no reason'] });
    expect(ended(2, '[]')).toEqual({ kind: 'warn', reasons: ['it gave no reason'] });
    expect(ended(3, '')).toMatchObject({ kind: 'failed' });
  });

  it('is bounded, and has no characters that a terminal acts on', () => {
    const title = `a\u001b[2J\u202e${'x'.repeat(1000)}`;
    const answer = ended(
      2,
      JSON.stringify({ findings: Array.from({ length: 99 }, (_, n) => ({ title: `${n}${title}` })) }),
    );
    if (answer.kind !== 'warn') throw new Error(answer.kind);
    expect(answer.reasons).toHaveLength(50);
    expect(answer.reasons[0]).toBe(`0a [2J ${'x'.repeat(493)}`);
  });
});
