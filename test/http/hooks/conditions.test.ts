/** Conditions of a request on a file, by RFC 9110, section 13. */
import { describe, expect, it } from 'vitest';
import { brokenOf, conditionsIn, saidBy } from '../../../src/http/hooks/conditions.ts';

const one = '1'.repeat(64);
const two = '2'.repeat(64);
const read = (match?: string, noneMatch?: string) =>
  conditionsIn((name) => (name === 'if-match' ? match : name === 'if-none-match' ? noneMatch : undefined));

describe('a condition on the file that is there', () => {
  it.each([
    ['a tag that it has', read(`"${one}"`), one, null],
    ['a tag of a list', read(`"${two}" ,W/"x", "${one}"`), one, null],
    ['another tag', read('"00"'), one, 'match'],
    ['an empty tag', read('""'), one, 'match'],
    ['a weak tag', read(`W/"${one}"`), one, 'match'],
    ['any file', read('*'), one, null],
    ['any file, and the path has no file', read(' * '), null, 'match'],
    ['a tag, and there is no file', read(`"${one}"`), null, 'match'],
    ['no file', read(undefined, '*'), null, null],
    ['no file, and there is one', read(undefined, '*'), one, 'noneMatch'],
    ['not this tag', read(undefined, `"${one}"`), one, 'noneMatch'],
    ['not this weak tag', read(undefined, `W/"${one}"`), one, 'noneMatch'],
    ['not another tag', read(undefined, `"${two}", "x"`), one, null],
    ['not this tag, and there is no file', read(undefined, `"${one}"`), null, null],
    ['both, of which the second is broken', read(`"${one}"`, `"${one}"`), one, 'noneMatch'],
    ['none', read(), one, null],
  ])('%s', (_what, conditions, present, broken) => {
    expect(brokenOf(conditions, present)).toBe(broken);
  });
});

it.each([
  [read(), { expected: undefined }],
  [read(`"${one}"`), { expected: one }],
  [read(undefined, '*'), { expected: null }],
  [read('*'), null],
  [read('"00"'), null],
  [read(`W/"${one}"`), null],
  [read(`"${one}", "${two}"`), null],
  [read(`"${one}"`, '*'), null],
  [read(undefined, `"${one}"`), null],
])('a write needs to look at the file only where the condition does not say it: %j', (conditions, expected) => {
  expect(saidBy(conditions)).toEqual(expected);
});

it.each([one, '"a', '"a" "b"', '"a",', '*, "a"', 'w/"a"', ''])('%s is no list of tags', (text) => {
  expect(() => read(text)).toThrow('If-Match is neither * nor a list of tags');
});
