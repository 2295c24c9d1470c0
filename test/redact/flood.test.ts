import { describe, expect, it } from 'vitest';
import { Redaction } from '../../src/redact/redactor.ts';
import { cut, through } from './redacted.ts';

const note = '[REDACTED:the rest of this output, nearly all of which is secrets]';

describe('a stream of nothing but secrets', () => {
  const flood = `before\n${'TOKEN=a1b2c3\n'.repeat(40_000)}behind\n`;

  it('is replaced as a whole after a while, with a note', () => {
    const out = through(new Redaction().stream(), [Buffer.from(flood)]);
    expect(out.startsWith('before\nTOKEN=[REDACTED:token]\nTOKEN=')).toBe(true);
    expect(out.endsWith(note)).toBe(true);
    expect(out.length).toBeLessThan(200_000);
  });

  it('is replaced from the same byte on, however it comes', () => {
    const whole = through(new Redaction().stream(), [Buffer.from(flood)]);
    for (const at of [1, 65_535, 65_536, 65_537, 100_000])
      expect(through(new Redaction().stream(), cut(Buffer.from(flood), [at]))).toBe(whole);
  });

  it('costs nothing any more, and its count says that more was redacted', () => {
    const stream = new Redaction().stream();
    through(stream, [Buffer.from(flood)]);
    const { redactions } = stream.counts;
    expect(stream.write(Buffer.from('TOKEN=a1b2c3\n'))).toEqual([]);
    expect(stream.counts.redactions).toBe(redactions);
    expect(redactions).toBeLessThan(40_000);
  });
});

it('a long list of secrets with words between them stays readable', () => {
  const list = 'the service number seven has the TOKEN=a1b2c3 since Monday\n'.repeat(10_000);
  const out = through(new Redaction().stream(), [Buffer.from(list)]);
  expect(out).not.toContain(note);
  expect(out.match(/since Monday/g)).toHaveLength(10_000);
});
