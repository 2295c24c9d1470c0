import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  focused,
  type Keyed,
  needsSecond,
  settleMs,
  stepOf,
  unfocused,
} from '../../dashboard/src/pages/questions/keys.ts';

const asked = { choices: ['once', 'session', 'always'], title: 'ASKED BY RULE terminal(touch:*)' };
const dangerous = { ...asked, title: 'DANGEROUS COMMAND' };

const press = (state: Keyed, key: string, nowMs: number, about = asked) => stepOf(state, { key, asked: about, nowMs });

it('y, n and s answer the question that has had the focus for half a second', () => {
  const state = focused(0);
  expect(['y', 'n', 's'].map((key) => press(state, key, settleMs).answer)).toEqual(['once', 'deny', 'session']);
});

it('no key answers without the focus, or within half a second of it', () => {
  for (const key of ['y', 'n', 's', 'a', 'Enter']) {
    expect(press(unfocused, key, 10_000).answer).toBeNull();
    expect(press(focused(0), key, settleMs - 1).answer).toBeNull();
  }
});

it.each(['y', 's', 'a'])('what is dangerous wants Enter after %s, within five seconds', (key) => {
  const armed = press(focused(0), key, 1000, dangerous);
  expect(armed.answer).toBeNull();
  expect(press(armed.next, 'Enter', 5999, dangerous).answer).not.toBeNull();
  expect(press(armed.next, 'Enter', 6001, dangerous).answer).toBeNull();
});

it('always wants Enter for any question, and a refusal for none', () => {
  expect(needsSecond('always', asked)).toBe(true);
  expect(needsSecond('deny', dangerous)).toBe(false);
  expect(press(focused(0), 'a', 1000).answer).toBeNull();
});

it('any other key between the letter and Enter disarms', () => {
  const armed = press(focused(0), 'y', 1000, dangerous).next;
  const other = press(armed, 'x', 1100, dangerous).next;
  expect(press(other, 'Enter', 1200, dangerous).answer).toBeNull();
});

it('a choice that is not offered is never the answer, whatever is pressed in whatever order', () => {
  const keys = fc.array(fc.record({ key: fc.constantFrom('y', 's', 'a', 'n', 'Enter', 'x'), afterMs: fc.nat(3000) }));
  const offered = fc.subarray(['once', 'session', 'always']);
  fc.assert(
    fc.property(keys, offered, fc.boolean(), (all, choices, isDangerous) => {
      const about = { choices, title: isDangerous ? dangerous.title : asked.title };
      let [state, nowMs] = [focused(0), 0];
      for (const { key, afterMs } of all) {
        nowMs += afterMs;
        const { next, answer } = press(state, key, nowMs, about);
        if (answer !== null && answer !== 'deny') {
          expect(choices).toContain(answer);
          if (isDangerous || answer === 'always') expect(key).toBe('Enter');
        }
        state = next;
      }
    }),
  );
});
