/**
 * The files of the audit. `audit.ndjson` is written to; full ones are renamed to `audit.N.ndjson`, N being their last
 * record. `head` names the last record, so that records cut off at the end are missed.
 */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { decode, type Link, maxLineBytes } from './line.ts';
import type { AuditRecord } from './types.ts';

export const currentName = 'audit.ndjson';
export const headName = 'head';
const fullForm = /^audit\.(\d{12})\.ndjson$/;
const headForm = /^(\d{1,15}) ([0-9a-f]{64})\n/;

export const nameOfFull = (lastSeq: number): string => `audit.${String(lastSeq).padStart(12, '0')}.ndjson`;

/** Reads the last sequence number of a file from its name; NaN for the current one. */
export const lastSeqOf = (name: string): number => Number(fullForm.exec(name)?.[1]);

/** Oldest first, the current one last whether it is there or not. */
export function fileNames(directory: string): readonly string[] {
  const full = readdirSync(directory).filter((name) => fullForm.test(name));
  return [...full.toSorted(), currentName];
}

/** A link in this place would lead our lines elsewhere. */
export function openToAppend(directory: string): number {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  return openSync(join(directory, currentName), flags, 0o600);
}

export function openHead(directory: string): number {
  return openSync(join(directory, headName), constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
}

/** `null` without one, or when it cannot be read. */
export function readHead(fd: number): Link | null {
  const bytes = Buffer.alloc(128);
  const [, seq, hash] = headForm.exec(bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, 0))) ?? [];
  return seq === undefined || hash === undefined ? null : { seq: Number(seq), hash };
}

/** Always of the same length, so that it needs no truncation. */
export function writeHead(fd: number, { seq, hash }: Link): void {
  writeSync(fd, `${String(seq).padStart(15, '0')} ${hash}\n`, 0);
}

/** The number of the newest record; 0 without one. */
export function newestSeq(directory: string): number {
  if (statSync(directory, { throwIfNoEntry: false }) === undefined) return 0;
  const names = fileNames(directory);
  return seqAtEnd(join(directory, currentName)) ?? Number(fullForm.exec(names.at(-2) ?? '')?.[1] ?? 0);
}

function seqAtEnd(path: string): number | null {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return null;
  const fd = openSync(path, 'r');
  try {
    return endOf(fd).last?.seq ?? null;
  } finally {
    closeSync(fd);
  }
}

export interface End {
  /** The last record of the file; `null` in an empty one. */
  readonly last: AuditRecord | null;
  /** Bytes after it that are no record: what a crash or a full disk left of a line. */
  readonly torn: Buffer;
  /** The last record has no newline after it. */
  readonly unended: boolean;
}

export function endOf(fd: number): End {
  const { size } = fstatSync(fd);
  const length = Math.min(size, 2 * maxLineBytes);
  const bytes = Buffer.alloc(length);
  readSync(fd, bytes, 0, length, size - length);
  const newline = bytes.lastIndexOf(10);
  const rest = bytes.subarray(newline + 1);
  const unended = rest.length > 0 ? decode(rest.toString()) : null;
  if (unended !== null) return { last: unended, torn: Buffer.alloc(0), unended: true };
  return { last: lastOf(bytes.toString('utf8', 0, Math.max(newline, 0))), torn: rest, unended: false };
}

function lastOf(text: string): AuditRecord | null {
  for (const line of text.split('\n').toReversed()) {
    const record = decode(line);
    if (record !== null) return record;
  }
  return null;
}

/** The last record of a file that is full; `null` when it has none. */
export function lastRecord(path: string): AuditRecord | null {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return endOf(fd).last;
  } finally {
    closeSync(fd);
  }
}
