/** Which lists hold for a sandbox where a process knows what later edits of the file deny. */
import { expect, it } from 'vitest';
import { type EgressReading, type EgressRow, noOwnRules, settledReading } from '../../src/store/egress.ts';

const none = { allow: [], deny: [], ports: [], presets: [] };
const reading = (source: string, more: Partial<EgressReading> = {}): EgressReading => ({
  lists: none,
  source,
  later: null,
  ...more,
});
const row = ({ lists, source }: Pick<EgressReading, 'lists' | 'source'>): EgressRow => ({
  sandboxId: 'sbx_1',
  revision: 1,
  configured: lists,
  source,
  own: noOwnRules,
});
const later = { deny: ['a.example'], mark: 'm' };
const wide = { ...none, presets: ['npm'] };

it('what an edit denies is added to the lists of an older and of a newer reading, and nothing else is', () => {
  const known = reading('first', { lists: wide, later });
  const tightened = { source: 'first+m', lists: { ...wide, deny: ['a.example'] } };
  expect(settledReading(null, known, true)).toEqual(tightened);
  expect(settledReading(row(reading('first', { lists: wide })), known, false)).toEqual(tightened);
  expect(settledReading(row(reading('second')), known, false)).toEqual({
    source: 'first+m',
    lists: { ...none, deny: ['a.example'] },
  });
  expect(settledReading(row(tightened), known, false)).toEqual(tightened);
});

it('a process that has read the edited file has the last word, and one without edits has none beside it', () => {
  const tightened = row({ source: 'first+m', lists: { ...wide, deny: ['a.example'] } });
  expect(settledReading(tightened, reading('second'), true)).toEqual({ source: 'second', lists: none });
  expect(settledReading(tightened, reading('first', { lists: wide }), false)).toEqual({
    source: 'first+m',
    lists: tightened.configured,
  });
});
