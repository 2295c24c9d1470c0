import { describe, expect, it } from 'vitest';
import { answerQuestion, type Answering } from '../../../src/cli/service/questions.ts';
import { CaissonError } from '../../../src/errors.ts';
import type { Question, Settled } from '../../../src/guard/types.ts';
import type { ApprovalView } from '../../../src/service/api.ts';

const pending: ApprovalView = {
  id: 'apr_1',
  taskId: 't',
  state: 'pending',
  askedBy: null,
  askedAt: '2026-01-01T00:00:00Z',
  expiresAt: null,
  title: 'DANGEROUS COMMAND',
  stdin: false,
  input: null,
  variables: [],
  rule: null,
  display: 'rm -rf a',
  warnings: [],
  diff: null,
  findings: ['recursive delete'],
  backend: 'local',
  cwd: '/srv',
  choices: ['once', 'deny'],
  choice: null,
  answeredBy: null,
  covers: [],
  proposal: [],
};

/** A service with one question, and a person who types `words` or only looks on. */
function answering(words: string | null, views: readonly ApprovalView[] = [pending]) {
  const seen: { questions: Question[]; answers: string[]; said: string[]; settled: Settled[] } = {
    questions: [],
    answers: [],
    said: [],
    settled: [],
  };
  let look = 0;
  const how: Answering = {
    get: () => Promise.resolve(views[Math.min(look++, views.length - 1)] ?? pending),
    answer: (_id, choice) => Promise.resolve(void seen.answers.push(choice)),
    say: (text) => void seen.said.push(text),
    approver: async (question, { signal, settled }) => {
      seen.questions.push(question);
      if (words !== null) return words;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      seen.settled.push(await settled);
      return 'deny';
    },
  };
  return { seen, how };
}

const awaiting = { begun: new AbortController().signal };

describe('a question of the service on a terminal', () => {
  it.each([
    ['o', 'once'],
    [' YES ', 'once'],
    ['d', 'deny'],
    ['always', 'deny'],
    ['maybe', 'deny'],
  ])('is answered as one of the library: %s', async (words, choice) => {
    const { seen, how } = answering(words);
    await answerQuestion('apr_1', how, awaiting);
    expect(seen.answers).toEqual([choice]);
    expect(seen.questions).toMatchObject([
      { display: 'rm -rf a', backend: 'local', cwd: '/srv', choices: ['once', 'deny'] },
    ]);
  });

  it('goes away when it was answered elsewhere, and says by whom', async () => {
    const answered = { ...pending, state: 'used', choice: 'once', answeredBy: 'anna (tok_1)' } as const;
    const { seen, how } = answering(null, [pending, pending, answered]);
    await answerQuestion('apr_1', how, awaiting);
    expect(seen.settled).toEqual([{ outcome: 'once', elsewhere: 'anna (tok_1)' }]);
    expect(seen.answers).toEqual([]);
  });

  it('is over where its command begins and nothing is known of an answer', async () => {
    const { seen, how } = answering(null);
    await answerQuestion('apr_1', how, { begun: AbortSignal.abort() });
    expect(seen.settled).toEqual([{ outcome: 'canceled', elsewhere: null }]);
  });

  it('goes away when its command was taken back', async () => {
    const leaving = new AbortController();
    const { seen, how } = answering(null);
    setTimeout(() => leaving.abort(), 20);
    await answerQuestion('apr_1', how, { ...awaiting, signal: leaving.signal });
    expect(seen.settled).toEqual([{ outcome: 'canceled', elsewhere: null }]);
  });

  it('says when the answer did not arrive, and is silent where it was late', async () => {
    for (const [code, said] of [
      ['unavailable', 1],
      ['conflict', 0],
    ] as const) {
      const { seen, how } = answering('o');
      const answer = (): Promise<never> => Promise.reject(new CaissonError(code, 'no'));
      await answerQuestion('apr_1', { ...how, answer }, awaiting);
      expect(seen.said).toHaveLength(said);
    }
  });
});
