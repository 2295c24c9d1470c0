import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escape, escapeKeepingColours, escapeLine } from '../../src/cli/escape.ts';
import { toJson } from '../../src/cli/json.ts';

const anything = fc.string({ unit: 'binary', maxLength: 200 });
/** Mostly what hurts. */
const hostile = fc
  .array(
    fc.oneof(
      anything,
      fc.constantFrom(
        '\u001b[2J',
        '\u001b]52;c;aGk=\u0007',
        '\u009b6n',
        '\u202e',
        '\u200b',
        '\r',
        '\ud800',
        '\u{e0041}',
        '\u3164',
      ),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''));

const seen = /^[^\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]*$/u;

describe('what a sandbox wrote, shown to a person (OH-11)', () => {
  it('lets nothing but printable characters, newline and tab out', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(escape(text).replace(/[\n\t]/g, '')).toMatch(seen);
      }),
    );
  });

  it('keeps one line one line', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(escapeLine(text)).toMatch(seen);
      }),
    );
  });

  it('leaves visible text as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(escapeLine(text)).toBe(text);
      }),
    );
    expect(escape('naïve Straße 日本語 🎉\n\ttab')).toBe('naïve Straße 日本語 🎉\n\ttab');
  });

  it.each([
    ['\u001b]52;c;aGk=\u0007', '\\x1b]52;c;aGk=\\x07'],
    ['a\u202eb', 'a\\u{202e}b'],
    ['\u009b6n', '\\x9b6n'],
    ['x\ry', 'x\\ry'],
    ['\u{e0041}', '\\u{e0041}'],
    ['\ud800', '\\u{d800}'],
  ])('spells %j out', (text, shown) => {
    expect(escapeLine(text)).toBe(shown);
  });

  it('keeps colours of recorded output and nothing else of it', () => {
    expect(escapeKeepingColours('\u001b[1;31mred\u001b[0m\r\n\u001b[2Jx')).toBe('\u001b[1;31mred\u001b[0m\n\\x1b[2Jx');
    fc.assert(
      fc.property(hostile, (text) => {
        expect(
          escapeKeepingColours(text)
            .replace(/\u001b\[[0-9;:]*m/g, '')
            .replace(/[\n\t]/g, ''),
        ).toMatch(seen);
      }),
    );
  });

  it('writes JSON that a terminal does not act on and that parses to the same value', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(toJson({ text })).toMatch(seen);
        expect(JSON.parse(toJson({ text }))).toEqual({ text });
      }),
    );
  });
});
