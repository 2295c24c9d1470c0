import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redaction } from '../../src/redact/redactor.ts';
import { cut, filler, redacted, through } from './redacted.ts';

const token = `ghp_${filler(40).replaceAll(/[^A-Za-z0-9]/g, '')}`;
const unseen = [
  '\u001b[1m',
  '\u001b[0;31m',
  '\u001b[K',
  '\u001b(B',
  '\u001b',
  '\u200b',
  '\u200d',
  '\u2060',
  '\ufeff',
  '\u00ad',
];

describe('what is invisible', () => {
  it.each(unseen)('hides no secret from redaction, and goes with it: %j', (mark) => {
    const text = `see ${token.slice(0, 12)}${mark}${token.slice(12)} end`;
    expect(redacted(text)).toBe('see [REDACTED:github-token] end');
  });

  it('hides no declared value either', () => {
    const value = 'correct horse battery';
    expect(redacted(`<corr\u001b[1mect horse\u001b[0m battery>`, [{ name: 'X', value }])).toBe('<[REDACTED:X]>');
    expect(redacted(`<${value}>`, [{ name: 'X', value: 'correct\u200b horse battery' }])).toBe('<[REDACTED:X]>');
  });

  it('stays in its place around a secret', () => {
    expect(redacted(`\u001b[36mDB_PASSWORD\u001b[0m=\u001b[32mhunter22\u001b[0m ok`)).toBe(
      '\u001b[36mDB_PASSWORD\u001b[0m=\u001b[32m[REDACTED:password]\u001b[0m ok',
    );
  });

  it('does not join what a cursor or a NUL keeps apart', () => {
    expect(redacted('A_TOKEN=abc123def\0PATH=/usr/bin\0')).toBe('A_TOKEN=[REDACTED:token]\0PATH=/usr/bin\0');
    expect(redacted('A_TOKEN=abc123def\u001b[2;1HPATH=/bin')).toContain('PATH=/bin');
  });

  it('comes out as it was, however the stream is cut', () => {
    const parts = fc.array(fc.constantFrom(...unseen, token, 'word ', '\n', 'PASSWORD=', 'hunter22', ' '), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(parts, fc.array(fc.nat(600), { maxLength: 8 }), (texts, places) => {
        const bytes = Buffer.from(texts.join(''));
        const declared = [{ name: 'X', value: 'hunter22 word' }];
        const whole = through(new Redaction(declared).stream(), [bytes]);
        expect(through(new Redaction(declared).stream(), cut(bytes, places))).toBe(whole);
        expect(
          through(
            new Redaction(declared).stream(),
            bytes
              .toString('latin1')
              .match(/[^]/g)
              ?.map((b) => Buffer.from(b, 'latin1')) ?? [],
          ),
        ).toBe(whole);
        if (!texts.some((text) => text === token || text === 'hunter22' || text === 'PASSWORD='))
          expect(whole).toBe(bytes.toString('latin1'));
      }),
      { numRuns: 300 },
    );
  });

  it('is held with no more than a bound, whatever is printed', () => {
    const stream = new Redaction().stream();
    const given = [...stream.write(Buffer.from('ghp_abc')), ...stream.write(Buffer.alloc(2 ** 20, '\u001b[0m'))];
    const length = given.reduce((sum, piece) => sum + piece.length, 0);
    expect(length).toBeGreaterThan(2 ** 20 - 4096);
  });
});
