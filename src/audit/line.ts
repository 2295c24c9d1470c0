/** One record as one line. The hash is over the bytes as they stand, so nothing depends on how JSON is written. */
import { hash } from 'node:crypto';
import type { AuditRecord, Json } from './types.ts';

export interface Link {
  readonly seq: number;
  readonly hash: string;
}

export const beginning: Link = { seq: 0, hash: '0'.repeat(64) };

/** A line is one write, and is found again by looking back this far at most. */
export const maxLineBytes = 64 * 1024;
const ending = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/s;

export function encode(
  fields: Readonly<Record<string, Json>>,
  before: Link,
): { readonly line: string; readonly link: Link } {
  const seq = before.seq + 1;
  const whole = JSON.stringify({ seq, ...fields, prev: before.hash });
  // A unit of UTF-16 takes at most three bytes of UTF-8.
  if (whole.length > maxLineBytes / 3 && Buffer.byteLength(whole) > maxLineBytes - 128)
    return encode(
      { ...only(fields, ['at', 'type', 'holder', 'owner', 'taskId', 'execId']), left_out: 'too long' },
      before,
    );
  const body = whole.slice(0, -1);
  const link = { seq, hash: hash('sha256', body) };
  return { line: `${body},"hash":"${link.hash}"}\n`, link };
}

function only(fields: Readonly<Record<string, Json>>, names: readonly string[]): Readonly<Record<string, Json>> {
  return Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
}

/** `null` for anything that is not a line as `encode` writes it, with a hash that fits. */
export function decode(line: string): AuditRecord | null {
  const [, body, claimed] = ending.exec(line) ?? [];
  if (body === undefined || claimed === undefined || hash('sha256', body) !== claimed) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    return null; // no JSON is no record
  }
}

/** Reads the sequence number from the beginning of a line alone. `null`: a record does not begin so. */
export function seqOf(line: string): number | null {
  const [, seq] = /^\{"seq":(\d{1,15}),/.exec(line) ?? [];
  return seq === undefined ? null : Number(seq);
}

function isRecord(value: unknown): value is AuditRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { seq, at, type, prev } = value as Partial<Record<string, unknown>>;
  return Number.isSafeInteger(seq) && typeof at === 'string' && typeof type === 'string' && typeof prev === 'string';
}
