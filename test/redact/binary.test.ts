/** Binary output comes through redaction as it is; what has the shape of a secret by itself is replaced there too. */
import { createCipheriv } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redaction } from '../../src/redact/redactor.ts';
import { cut, filler, through } from './redacted.ts';

const fileBytes = 4_000_000;
const files = 16;
const chunkBytes = 64 * 1024;

/** Pseudorandom bytes: a seed gives equal bytes in each run. */
function randomBytes(seed: number, length = fileBytes): Buffer {
  return createCipheriv('aes-256-ctr', Buffer.alloc(32, seed), Buffer.alloc(16)).update(Buffer.alloc(length));
}

const noise = randomBytes(1, 4096);
const given = (text: string): Buffer => Buffer.from(text, 'latin1');
const redacted = (...parts: readonly Buffer[]): string => through(new Redaction().stream(), [Buffer.concat(parts)]);

describe('binary output', () => {
  it(`is not changed: ${files} random files of 4 MB (R4)`, { timeout: 60_000 }, () => {
    const changed = Array.from({ length: files }, (_, seed) => {
      const redactor = new Redaction().stream();
      const file = randomBytes(seed);
      const chunks = Array.from({ length: Math.ceil(fileBytes / chunkBytes) }, (_chunk, index) =>
        file.subarray(index * chunkBytes, (index + 1) * chunkBytes),
      );
      const out = Buffer.concat([...chunks.flatMap((chunk) => redactor.write(chunk)), ...redactor.end()]);
      return out.equals(file) ? 0 : redactor.counts.redactions;
    });
    expect(changed.filter((count) => count > 0)).toEqual([]);
  });

  it.each([
    ['PW=', 'abc'],
    ['pw=', '\x80\xff\x01abc'],
    ['DB_PASSWORD=', 'hunter22'],
    ['password: "', 'hunter22"'],
    ['Authorization: Bearer ', 'abc'],
    ['Cookie: session=', 'abcdefgh'],
    ['https://me:', 'hunter22@host'],
    ['<password>', 'hunter22</password>'],
    ['--password ', 'hunter22'],
    ['password%3D', 'hunter22'],
  ])('is not changed at %j and %j between random bytes', (name, value) => {
    const all = Buffer.concat([noise, given(`${name}${value}`), noise]);
    expect(redacted(all)).toBe(all.toString('latin1'));
  });

  it.each(['\xff\xfe', 'a\x01b', 'a\x00\xff', '\xc3'])('is not changed where the value %j is no text', (value) => {
    const all = given(`one line\nPW="${value}"\n`);
    expect(redacted(all)).toBe(all.toString('latin1'));
  });

  it('loses a token that is known by its shape', () => {
    const token = `ghp_${filler(36)}`;
    expect(redacted(noise, given(token), given(' '), noise)).toBe(
      `${noise.toString('latin1')}[REDACTED:github-token] ${noise.toString('latin1')}`,
    );
  });

  it('comes out the same however it was cut into chunks', () => {
    const pieces = [
      'PW=',
      'hunter22',
      '\x01',
      '\xff',
      'DB_PASSWORD=',
      '"',
      '\n',
      ' ',
      '\xc3\xa4',
      'text '.repeat(40),
      '\0',
    ];
    const bytes = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => given(parts.join('')));
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(2000), { maxLength: 20 }), (all, places) => {
        const whole = through(new Redaction().stream(), [all]);
        expect(through(new Redaction().stream(), cut(all, places))).toBe(whole);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a value behind a name', () => {
  it.each([
    ['in a text in UTF-8', 'Übergröße\nPASSWORD=hünter22\n', 'utf8'],
    ['in a text in an older encoding', 'Contrase\xf1a\nPASSWORD=hunter22\n', 'latin1'],
    ['beside colours and bells', '\x1b[31mred\x1b[0m \x07\nPASSWORD=hunter22\n', 'latin1'],
    ['in an environment with NUL between variables', 'A=b\0PASSWORD=hunter22\0', 'latin1'],
    ['in a text with separators of records', 'one\x1etwo\x1f\nPASSWORD=hunter22\n', 'latin1'],
    ['at the very beginning', 'PASSWORD=hunter22', 'latin1'],
  ] as const)('counts %s', (_where, text, encoding) => {
    const out = redacted(Buffer.from(text, encoding));
    expect(out).toContain('PASSWORD=[REDACTED:password]');
    expect(out).not.toContain('nter22');
  });

  it('counts where the end of the stream or of what is looked at cuts a character in it', () => {
    const cutAtEnd = Buffer.from('PASSWORD=hunterü').subarray(0, -1);
    expect(redacted(cutAtEnd)).toBe('PASSWORD=[REDACTED:password]');
    expect(redacted(Buffer.from(`PASSWORD=${'ü'.repeat(400)}\n`))).toBe('PASSWORD=[REDACTED:password]\n');
    expect(redacted(Buffer.from(`PASSWORD=x${'ü'.repeat(400)}\n`))).toBe('PASSWORD=[REDACTED:password]\n');
  });
});
