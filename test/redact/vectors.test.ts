import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Redaction, redactErrorText } from '../../src/redact/redactor.ts';
import { through } from './redacted.ts';

interface Row {
  readonly input: string;
  readonly must_not_contain: readonly string[];
  readonly must_contain: readonly string[];
  readonly surface: 'terminal' | 'mcp_error';
  readonly why: string;
}

/** Packed, so that no scanner of sources takes them for real. */
const packed = readFileSync(new URL('redact.json.gz.b64', import.meta.url), 'utf8');
const rows = JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString()) as readonly Row[];

function expectRow(out: string, row: Row): void {
  for (const secret of row.must_not_contain) expect(out).not.toContain(secret);
  for (const kept of row.must_contain) expect(out).toContain(kept);
}

describe('the vectors of redaction', () => {
  it('are all there', () => expect(rows.length).toBe(32));

  it.each(rows)('hold at every split point: $why ($input)', (row) => {
    const bytes = Buffer.from(row.input);
    const whole = through(new Redaction().stream(), [bytes]);
    expectRow(whole, row);
    for (let at = 1; at < bytes.length; at += 1)
      expect(through(new Redaction().stream(), [bytes.subarray(0, at), bytes.subarray(at)])).toBe(whole);
    expect(through(new Redaction().stream(), bytes.toString('latin1').split(''))).toBe(whole);
  });

  it.each(rows.filter(({ surface }) => surface === 'mcp_error'))('hold in an error text: $why', (row) => {
    const out = redactErrorText(row.input);
    expectRow(out, row);
    expect(out).toContain('[REDACTED]');
  });
});

describe('an error text of an MCP server', () => {
  it.each(['token', 'key', 'API_KEY', 'password', 'secret'])('hides every %s= parameter', (name) => {
    expect(redactErrorText(`GET /v1?${name}=abcdef&page=2 failed`)).toBe(`GET /v1?${name}=[REDACTED]&page=2 failed`);
  });

  it('hides what was declared', () => {
    expect(redactErrorText('no such user: rumpelstilz', [{ name: 'NAME', value: 'rumpelstilz' }])).toBe(
      'no such user: [REDACTED]',
    );
  });
});
