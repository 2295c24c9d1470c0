import { describe, expect, it } from 'vitest';
import { answerIn, choiceOf, offeredIn, optionsFor, outcomeFor } from '../../src/acp/permission.ts';

describe('a question of Caisson', () => {
  it('offers the choices that it has, and deny always', () => {
    expect(optionsFor(['once']).map(({ optionId }) => optionId)).toEqual(['allow_once', 'deny']);
    expect(optionsFor(['once', 'session', 'always', 'deny']).map(({ kind }) => kind)).toEqual([
      'allow_once',
      'allow_always',
      'allow_always',
      'reject_once',
    ]);
  });

  it.each([
    ['allow_once', 'once'],
    ['allow_session', 'session'],
    ['allow_always', 'deny'],
    ['deny_always', 'deny'],
    ['deny', 'deny'],
    ['', 'deny'],
  ])('takes the option %j as %s where always is not offered', (optionId, choice) => {
    expect(choiceOf({ kind: 'selected', optionId }, ['once', 'session', 'deny'])).toBe(choice);
  });

  it.each(['cancelled', 'unable', 'silent'] as const)('is refused when it was %s', (kind) => {
    expect(choiceOf({ kind }, ['once'])).toBe('deny');
  });
});

describe('an answer of an editor', () => {
  it.each([
    [{ result: { outcome: { outcome: 'selected', optionId: 'x' } } }, { kind: 'selected', optionId: 'x' }],
    [{ result: { outcome: { outcome: 'cancelled' } } }, { kind: 'cancelled' }],
    [{ result: { outcome: { outcome: 'selected', optionId: 7 } } }, { kind: 'cancelled' }],
    [{ result: null }, { kind: 'cancelled' }],
    [{}, { kind: 'cancelled' }],
    [{ error: { code: -32_601, message: 'no such method' } }, { kind: 'unable' }],
  ])('%j is read', (message, answer) => expect(answerIn(message)).toEqual(answer));
});

describe('an agent is answered', () => {
  const once = { optionId: 'yes', kind: 'allow_once', name: 'Yes' };
  const no = { optionId: 'no', kind: 'reject_once', name: 'No' };
  const never = { optionId: 'never', kind: 'reject_always', name: 'Never' };
  const offered = (...options: readonly object[]) => offeredIn({ options });

  it('with ids that it has offered, and no others', () => {
    expect(outcomeFor({ kind: 'selected', optionId: 'yes' }, offered(once, no))).toEqual({
      outcome: 'selected',
      optionId: 'yes',
    });
    for (const answer of [{ kind: 'selected', optionId: 'made up' }, { kind: 'silent' }, { kind: 'unable' }] as const) {
      expect(outcomeFor(answer, offered(once, never, no))).toEqual({ outcome: 'selected', optionId: 'no' });
      expect(outcomeFor(answer, offered(once, never))).toEqual({ outcome: 'selected', optionId: 'never' });
      expect(outcomeFor(answer, offered(once))).toEqual({ outcome: 'cancelled' });
    }
  });

  it('that it was cancelled, which is no denial', () => {
    expect(outcomeFor({ kind: 'cancelled' }, offered(once, no))).toEqual({ outcome: 'cancelled' });
  });

  it('whatever it has sent as options', () => {
    for (const options of [null, 'x', [null, 7, { optionId: 7 }], [{ kind: 'allow_once' }]])
      expect(outcomeFor({ kind: 'silent' }, offeredIn({ options }))).toEqual({ outcome: 'cancelled' });
  });
});
