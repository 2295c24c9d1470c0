import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PatternPass } from '../../src/redact/patterns.ts';
import { Redaction } from '../../src/redact/redactor.ts';
import { Tally } from '../../src/redact/tally.ts';
import { cut, filler, through } from './redacted.ts';

const mebibyte = 2 ** 20;

/** Pieces of which secrets, half secrets and innocent text are made. */
const pieces = [
  ...['token', 'api_key', 'API_KEY', 'DB_PASSWORD', '"password"', "'secret'", 'key', 'Authorization', '--api-key'],
  ...[
    '=',
    ':',
    ': ',
    ' = ',
    '=>',
    ':=',
    '==',
    '://',
    '@',
    '"',
    "'",
    '\\"',
    '\\',
    '`',
    ' ',
    '\n',
    '\r\n',
    '&',
    ';',
    '.',
  ],
  ...[
    'ghp_',
    'gh',
    'sk-',
    's',
    'k-',
    'eyJ',
    'AKIA',
    'xoxb-',
    'Bearer ',
    'Basic ',
    '12345678:AA',
    'hooks.slack.com/services/',
  ],
  ...['-----BEGIN ', 'PRIVATE KEY', '-----', '-----END ', 'RSA '],
  ...[
    'hunter22',
    '$HOME',
    '/usr/bin',
    'true',
    'null',
    'process.env.X',
    '[REDACTED:x]',
    filler(20),
    filler(40),
    filler(300),
  ],
];

describe('a stream', () => {
  it('is redacted the same however it is cut (EN-11)', () => {
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => Buffer.from(parts.join('')));
    fc.assert(
      fc.property(text, fc.array(fc.nat(1200), { maxLength: 12 }), (bytes, places) => {
        const whole = through(new Redaction().stream(), [bytes]);
        expect(through(new Redaction().stream(), cut(bytes, places))).toBe(whole);
        expect(through(new Redaction().stream(), bytes.toString('latin1').split(''))).toBe(whole);
      }),
      { numRuns: 3000 },
    );
  });

  it.each([0, 1])('is redacted wherever in memory a chunk begins (%i), also what began before it', (offset) => {
    for (const more of ['', 'ordinary words '.repeat(10)]) {
      const chunk = Buffer.alloc(256).subarray(offset, offset + 4 + more.length);
      chunk.write(`a1b\n${more}`);
      const stream = new Redaction([{ name: 'PIN', value: 'a1b' }]).stream();
      const out = Buffer.concat([...stream.write(chunk), ...stream.end()]).toString();
      expect(out).toBe(`[REDACTED:PIN]\n${more}`);
    }
  });

  it('is redacted where a token stands in the name of an option, whose value comes later', () => {
    const text = `--token-xoxb-${filler(20)} on`;
    expect(through(new Redaction().stream(), [text])).toBe('--token-[REDACTED:slack-token] on');
    expect(through(new Redaction().stream(), text.split(''))).toBe('--token-[REDACTED:slack-token] on');
  });

  it('is redacted wherever in a long chunk a secret stands', () => {
    const secret = `AUTH_TOKEN=${filler(20)}`;
    const line = Buffer.from('ordinary words of a log '.repeat(60));
    for (let at = 0; at < 1000; at += 1) {
      const bytes = Buffer.concat([line, line.subarray(0, at), Buffer.from(` ${secret} `), line.subarray(at)]);
      const whole = through(new Redaction().stream(), [bytes]);
      expect(whole).not.toContain(filler(20));
      expect(through(new Redaction().stream(), cut(bytes, [line.length]))).toBe(whole);
    }
  });

  it('of any bytes comes out as it was where there is no secret', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), fc.array(fc.nat(500), { maxLength: 5 }), (bytes, places) => {
        const stream = new Redaction([{ name: 'X', value: 'never in there' }]).stream();
        const out = through(stream, cut(Buffer.from(bytes), places));
        expect(stream.counts.redactions > 0 || out === Buffer.from(bytes).toString('latin1')).toBe(true);
      }),
    );
  });
});

/** EN-13: what is made to be slow. */
const hostile = [
  ...['a', '=', '-----BEGIN', ' ', ':', 'sk-', 'token=', 'token=/x ', 'password=', 'key="', '.eyJ', 'eyJaaaaaaaaaa.'],
  ...[
    '://',
    '://a:',
    '://a@',
    'Bearer ',
    'Authorization:',
    '1234567890:AA',
    '-----BEGIN PRIVATE KEY-----',
    '\\"',
    'ghp_',
  ],
  ...['.', '-', '+', '>', '<password>', '--password ', ' -p', 'curl -u a:', 'value=', 'password%3D', 'ENV ', '",'],
  ...['name=password value=', 'password: |\n', '&quot;', 'password ', 'setenv password ', '"a","password","', ' +1'],
];

describe('the work', () => {
  it.each(hostile)('is linear in the length of %s, in one piece and in many (EN-13)', (unit) => {
    const text = Buffer.alloc(mebibyte / 4, unit);
    for (const size of [text.length, 4096]) {
      const half = workOf(text.subarray(0, text.length / 2), size);
      const whole = workOf(text, size);
      expect(whole).toBeLessThan(half * 2.2 + 10_000);
      expect(whole).toBeLessThan(text.length * 600);
    }
  });
});

function workOf(text: Buffer, size: number): number {
  const pass = new PatternPass(new Tally());
  for (let at = 0; at < text.length; at += size) pass.write(text.subarray(at, at + size));
  pass.end();
  return pass.work;
}

/** Digests of numbers, so that every run has equal text. */
function digests(bytes: number, encoding: 'hex' | 'base64'): string {
  const parts: string[] = [];
  for (let at = 0, length = 0; length < bytes; at += 1) {
    const part = createHash('sha256').update(String(at)).digest(encoding);
    parts.push(part);
    length += part.length;
  }
  return parts.join('');
}

const hexText = digests(mebibyte, 'hex');
const corpora: readonly (readonly [string, string])[] = [
  ['git hashes', hexText.replaceAll(/.{40}/g, '$& a commit\n').slice(0, mebibyte)],
  ['UUIDs', hexText.replaceAll(/(.{8})(.{4})(.{4})(.{4})(.{12})/g, '{"id":"$1-$2-$3-$4-$5"}\n').slice(0, mebibyte)],
  ['base64', `data:image/png;base64,${digests(mebibyte, 'base64').replaceAll('=', '')}`],
  ['source text', readFileSync(new URL('../../node_modules/zod/v4/core/schemas.js', import.meta.url), 'utf8')],
  [
    'minified text',
    readFileSync(new URL('../../node_modules/web-tree-sitter/web-tree-sitter.js.map', import.meta.url), 'utf8'),
  ],
];

describe('what holds no secrets (EN-12)', () => {
  it.each(corpora)('is left alone: %s', (_name, text) => {
    const stream = new Redaction().stream();
    const out = through(stream, [text]);
    expect(Math.abs(out.length - Buffer.byteLength(text))).toBeLessThan(text.length / 1000);
    expect(stream.counts.redactions).toBeLessThan(3);
  });
});
