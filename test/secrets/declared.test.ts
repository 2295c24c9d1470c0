import { Redactions } from '../../src/secrets/redactions.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redaction } from '../../src/redact/redactor.ts';
import { cut, redacted, through } from '../redact/redacted.ts';

const value = 'corr/ect+horse "battery"?';
const declared = [{ name: 'DEPLOY_PHRASE', value }];
const shown = '[REDACTED:DEPLOY_PHRASE]';

describe('what is released before the end of a stream', () => {
  const short = [{ name: 'PIN', value: '4711' }];
  const released = (pieces: readonly string[]): readonly string[] => {
    const stream = new Redaction(short).stream();
    return pieces.map((piece) => Buffer.concat([...stream.write(Buffer.from(piece)), ...stream.release()]).toString());
  };

  it('is judged as the end of a line, and the line may go on', () => {
    expect(released(['47', '11\n', '4711', '\n', 'x4711', '\n'])).toEqual([
      ...['47', '[REDACTED:PIN]\n', '[REDACTED:PIN]', '\n', 'x4711', '\n'],
    ]);
  });

  it('is given on once', () => {
    const stream = new Redaction(short).stream();
    stream.write(Buffer.from('4'));
    expect(Buffer.concat(stream.release()).toString()).toBe('4');
    expect([...stream.release(), ...stream.end()]).toEqual([]);
    expect(stream.idle).toBe(true);
  });
});

describe('a declared value', () => {
  it('is replaced by its name', () => expect(redacted(`it is ${value}.`, declared)).toBe(`it is ${shown}.`));

  it.each([
    ['base64', Buffer.from(value).toString('base64')],
    ['base64url', Buffer.from(value).toString('base64url')],
    ['hex', Buffer.from(value).toString('hex')],
    ['upper-case hex', Buffer.from(value).toString('hex').toUpperCase()],
    ['a URL', encodeURIComponent(value)],
    ['a form', new URLSearchParams({ v: value }).toString().slice(2)],
    ['JSON', JSON.stringify(value).slice(1, -1)],
  ])('is replaced in %s (EN-11)', (_form, text) => expect(redacted(`<${text}>`, declared)).toBe(`<${shown}>`));

  it('is replaced in base64 of any text around it, but for the bits at its edges (EN-11)', () => {
    const around = fc.string({ unit: fc.constantFrom('a', '?', '~', 'Z') });
    fc.assert(
      fc.property(around, around, fc.string({ minLength: 12, maxLength: 60 }), (before, after, secret) => {
        fc.pre(secret.trim() === secret && Buffer.byteLength(secret) >= 12);
        const whole = Buffer.from(before + secret + after).toString('base64');
        const out = new Redaction([{ name: 'X', value: secret }]).text(`<${whole}>`);
        expect(out).toContain('[REDACTED:X]');
        const left = out.slice(1, -1).replace('[REDACTED:X]', '').length;
        const own = Math.ceil((Buffer.byteLength(before + after) * 8) / 6);
        expect(left).toBeLessThanOrEqual(own + 8);
      }),
      { numRuns: 300 },
    );
  });

  it('is replaced however the stream is cut, overlapping, repeated and beside newlines (EN-11)', () => {
    const values = ['abababab', 'babababab-1', value, 'line one of it\nline two of it, longer\nend', '12345678'];
    const redaction = new Redaction(values.map((each, index) => ({ name: `V${index}`, value: each })));
    const part = fc.oneof(
      ...[...values, 'ab', 'b', '\n', 'line two of it', 'token=', '\r\n', ' '].map((each) => fc.constant(each)),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(200), { maxLength: 8 }), (parts, places) => {
        const bytes = Buffer.from(parts.join(''));
        const whole = through(redaction.stream(), [bytes]);
        for (const each of values) expect(whole).not.toContain(each);
        expect(through(redaction.stream(), cut(bytes, places))).toBe(whole);
        expect(through(redaction.stream(), bytes.toString('latin1').split(''))).toBe(whole);
      }),
      { numRuns: 500 },
    );
  });

  it('of several lines is replaced line by line too', () => {
    const key = 'first line of the key\nsecond line of the key\n';
    expect(redacted('> second line of the key\r\n', [{ name: 'KEY', value: key }])).toBe('> [REDACTED:KEY]\r\n');
  });

  it('that is short counts only as a whole line (EN-14)', () => {
    const short = [{ name: 'PIN', value: 'abc' }];
    const text = 'abc\nxabc abc\r\nabc\r\nabc\nabc';
    expect(redacted(text, short)).toBe('[REDACTED:PIN]\nxabc abc\r\n[REDACTED:PIN]\r\n[REDACTED:PIN]\n[REDACTED:PIN]');
  });

  it('that is empty is nothing', () => expect(redacted('a\n\nb', [{ name: 'X', value: '\n' }])).toBe('a\n\nb'));

  it('may hold any byte', () => {
    const odd = String.fromCodePoint(...Array.from({ length: 300 }, (_, at) => at + 1));
    expect(redacted(`<${odd}>`, [{ name: 'ODD', value: odd }])).toBe('<[REDACTED:ODD]>');
  });
});

describe('a declared value with characters that are escaped', () => {
  const value = `it's "a" p@ss/w<or>d & ü`;
  const long = `${'0123456789abcdef'.repeat(7)}!`;
  const json = JSON.stringify(value).slice(1, -1);

  it.each([
    ['encodeURIComponent', encodeURIComponent(value)],
    ['encodeURI', encodeURI(value)],
    ['a form', new URLSearchParams({ '': value }).toString().slice(1)],
    ['JSON of PHP', json.replaceAll('/', String.raw`\/`)],
    [
      'JSON of Go',
      json
        .replaceAll('<', String.raw`\u003c`)
        .replaceAll('>', String.raw`\u003e`)
        .replaceAll('&', String.raw`\u0026`),
    ],
    ['JSON of Python', json.replaceAll('ü', String.raw`\u00fc`)],
    ['JSON in JSON', JSON.stringify(json).slice(1, -1)],
    ['HTML', 'it&#39;s &quot;a&quot; p@ss/w&lt;or&gt;d &amp; ü'],
    ['the quotes of a shell', value.replaceAll("'", String.raw`'\''`)],
    ['the quotes of Python', value.replaceAll("'", String.raw`\'`)],
  ])('is found in %s', (_what, text) => {
    expect(redacted(`<${text}>`, [{ name: 'V', value }])).toBe('<[REDACTED:V]>');
  });

  it('is found in base64 whose lines are broken', () => {
    for (const width of [64, 76]) {
      const lines = Buffer.from(`${long}\n`)
        .toString('base64')
        .replaceAll(new RegExp(`.{${width}}(?=.)`, 'g'), '$&\n');
      expect(redacted(lines, [{ name: 'V', value: long }])).not.toContain(lines.slice(0, 20));
    }
  });
});

it('of an address that is forwarded its password counts alone as well', () => {
  const redactions = new Redactions({ enabled: true });
  const env = { DATABASE_URL: 'postgres://me:rumpel%21stilz@db/x' };
  redactions.declareVariables(env, ['DATABASE_URL']);
  const redaction = redactions.current();
  expect(redaction?.text('not rumpel!stilz, nor rumpel%21stilz')).toBe(
    'not [REDACTED:DATABASE_URL], nor [REDACTED:DATABASE_URL]',
  );
});
