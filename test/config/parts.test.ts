import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDotenv } from '../../src/config/dotenv.ts';
import { matches } from '../../src/values/pattern.ts';
import { CaissonError } from '../../src/errors.ts';

describe('parseDotenv', () => {
  it.each([
    ['A=b', 'b'],
    ['A=', ''],
    ['  A = b  ', 'b'],
    ['export A=b', 'b'],
    ['\uFEFFA=b\r\n', 'b'],
    ['A=a=b', 'a=b'],
    ['A=b # comment', 'b'],
    ['A=# comment', ''],
    ['A=b#c', 'b#c'],
    ["A='a # \\n $B'", 'a # \\n $B'],
    ['A="a\\n\\"b\\" \\\\ \\x"', 'a\n"b" \\ \\x'],
    ['A="b" # comment', 'b'],
    ['# A=c\n\nA=b', 'b'],
  ])('reads %j', (text, value) => {
    expect(parseDotenv(text, 'F').get('A')?.value).toBe(value);
  });

  it.each([
    ['A=1\nB', 'F:2: expected KEY=VALUE'],
    ['1A=x', 'F:1: the name before "=" must be letters, digits and underscores, and not start with a digit'],
    ['A-B=x', 'F:1: the name before "=" must be letters, digits and underscores, and not start with a digit'],
    ['A="secret', 'F:1: the " is not closed, or something follows it'],
    ["A='secret' x", "F:1: the ' is not closed, or something follows it"],
    ['A=1\n\nA=2', 'F:3: A was already set on line 1'],
    ['A=secret\0', 'F:1: the value of A holds a NUL byte'],
  ])('refuses %j with the line and without the value', (text, message) => {
    expect(() => parseDotenv(text, 'F')).toThrow(expect.objectContaining({ code: 'invalid_argument', message }));
  });

  it('gives names and values or a typed error, in a moment, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom('A', '=', '"', "'", '\\', '#', ' ', '\n', 'export '))),
        (pieces) => {
          try {
            parseDotenv(pieces.join(''), 'F');
          } catch (error) {
            expect(error).toBeInstanceOf(CaissonError);
          }
        },
      ),
    );
    parseDotenv(`A="${'\\'.repeat(100_000)}"`, 'F');
    parseDotenv(`A=${' '.repeat(50_000)}x`, 'F');
  });
});

describe('matches', () => {
  it.each([
    ['*', 'a', true],
    ['a*', 'a', true],
    ['a?', 'a', false],
    ['a?c', 'abc', true],
    ['*-ci', 'my-ci', true],
    ['*-ci', 'my-cid', false],
    ['a*b*c', 'aXbYbZc', true],
    ['a*b*c', 'aXc', false],
    ['abc', 'abcd', false],
    ['', '', true],
  ])('%s on %s is %s', (pattern, id, expected) => {
    expect(matches(pattern, id)).toBe(expected);
  });

  it('agrees with a regular expression', () => {
    const letters = fc.constantFrom('a', 'b', '*', '?');
    fc.assert(
      fc.property(
        fc.array(letters, { maxLength: 8 }),
        fc.array(fc.constantFrom('a', 'b'), { maxLength: 12 }),
        (pattern, id) => {
          const regex = new RegExp(
            `^${pattern.map((each) => (each === '*' ? '.*' : each === '?' ? '.' : each)).join('')}$`,
          );
          expect(matches(pattern.join(''), id.join(''))).toBe(regex.test(id.join('')));
        },
      ),
    );
  });

  it('stays quick for patterns made to be slow', () => {
    expect(matches('*a'.repeat(31), `${'a'.repeat(62)}b`)).toBe(false);
  });
});
