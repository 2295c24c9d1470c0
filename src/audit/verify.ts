/** Whether every record is as it was written, none is missing, and in their order. */
import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { fileNames, headName, readHead } from './files.ts';
import { beginning, decode, type Link, maxLineBytes } from './line.ts';
import type { AuditRecord, Broken, Verification } from './types.ts';

interface OpenFile {
  readonly name: string;
  readonly fd: number;
  readonly size: number;
}

/** What there is at one moment. Files stay readable when they are renamed or removed meanwhile. */
export interface Snapshot {
  readonly files: readonly OpenFile[];
  readonly head: Link | null;
}

/** Under the lock. */
export function snapshot(directory: string): Snapshot {
  const files = fileNames(directory).map((name) => {
    const fd = openSync(join(directory, name), constants.O_RDONLY | constants.O_NOFOLLOW);
    return { name, fd, size: fstatSync(fd).size };
  });
  return { files, head: headIn(directory) };
}

/** Without making one: that it is missing is what is looked for. */
export function headIn(directory: string): Link | null {
  let head: number;
  try {
    head = openSync(join(directory, headName), constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return null;
  }
  try {
    return readHead(head);
  } finally {
    closeSync(head);
  }
}

interface Line {
  readonly file: string;
  readonly line: number;
  readonly bytes: Buffer;
  readonly ended: boolean;
}

export async function verify({ files, head }: Snapshot): Promise<Verification> {
  const walk = new Walk();
  try {
    for (const file of files) {
      for (const line of linesOf(file)) if (!walk.step(line)) return walk.result(null);
      await breathe();
    }
    return walk.result(head);
  } finally {
    for (const { fd } of files) closeSync(fd);
  }
}

const headRemoved = 'the head was missing when it was written: records may have been removed before it';

class Walk {
  #first: AuditRecord | null = null;
  #last: AuditRecord | null = null;
  #records = 0;
  #torn = 0;
  #expired: Link[] = [];
  /** A piece of a line, until the record after it tells of it. */
  #piece: Line | null = null;
  #broken: Broken | null = null;
  #firstPlace: Line | null = null;

  /** False when it is of no use to go on. */
  step(line: Line): boolean {
    const record = decode(line.bytes.toString());
    if (record === null) return this.#unreadable(line);
    if (this.#piece !== null && !describesPiece(record, this.#piece))
      return this.#fail(this.#piece, 'is not as it was written');
    const problem = this.#last === null ? null : linkProblem(record, this.#last);
    if (problem !== null) return this.#fail(line, problem);
    if (this.#piece !== null) this.#torn += 1;
    this.#piece = null;
    this.#first ??= record;
    this.#firstPlace ??= line;
    this.#last = record;
    this.#records += 1;
    this.#expired.push(...expiredOf(record));
    if (record.type === 'head-removed') return this.#fail(line, headRemoved, record.seq);
    return true;
  }

  result(head: Link | null): Verification {
    if (this.#broken === null) this.#checkEnds(head);
    return {
      intact: this.#broken === null,
      records: this.#records,
      firstSeq: this.#first?.seq ?? null,
      lastSeq: this.#last?.seq ?? null,
      torn: this.#torn + (this.#piece === null || this.#broken !== null ? 0 : 1),
      broken: this.#broken,
    };
  }

  #unreadable(line: Line): boolean {
    if (this.#piece !== null) return this.#fail(this.#piece, 'is not as it was written');
    this.#piece = line;
    return true;
  }

  #fail({ file, line }: Line, reason: string, seq = (this.#last?.seq ?? 0) + 1): false {
    this.#broken = { file, line, seq, reason };
    return false;
  }

  #checkEnds(head: Link | null): void {
    const first = this.#first;
    const covered = [beginning, ...this.#expired].some(
      ({ seq, hash }) => first?.seq === seq + 1 && first.prev === hash,
    );
    // Only a line without an end is what a crash leaves last.
    if (this.#piece?.ended === true) this.#fail(this.#piece, 'is not as it was written');
    else if (first !== null && !covered && this.#firstPlace !== null)
      this.#broken = missing(
        this.#firstPlace.file,
        1,
        `the records before ${first.seq} are gone, and not because they were old`,
      );
    else this.#checkHead(head);
  }

  #checkHead(head: Link | null): void {
    const next = (this.#last?.seq ?? 0) + 1;
    if (head === null && this.#last !== null)
      this.#broken = missing('head', next, 'nothing tells which record is the last one');
    if (head === null || head.seq < next - 1) return; // a crash between a record and the head
    if (head.seq >= next)
      this.#broken = missing(
        this.#piece?.file ?? 'audit.ndjson',
        next,
        `records ${next} to ${head.seq} are gone from the end`,
      );
    else if (head.hash !== (this.#last?.hash ?? beginning.hash))
      this.#broken = missing('head', next - 1, 'the last record is not the one that was written');
  }
}

function expiredOf({ type, through, through_hash: last }: AuditRecord): readonly Link[] {
  if (type !== 'expired' || typeof through !== 'number' || typeof last !== 'string') return [];
  return [{ seq: through, hash: last }];
}

const missing = (file: string, seq: number, reason: string): Broken => ({ file, line: null, seq, reason });

function linkProblem(record: AuditRecord, last: AuditRecord): string | null {
  if (record.seq === last.seq + 1 && record.prev === last.hash) return null;
  if (record.seq > last.seq + 1) return `records ${last.seq + 1} to ${record.seq - 1} are gone before it`;
  return record.seq === last.seq + 1 ? 'follows another record than the one before it' : 'is out of order';
}

function describesPiece({ type, bytes, sha256 }: AuditRecord, piece: Line): boolean {
  return type === 'torn' && bytes === piece.bytes.length && sha256 === hash('sha256', piece.bytes);
}

const chunkBytes = 1024 * 1024;

/** In chunks: a file may be larger than we would ever make it. A line that is too long is cut, and so no record. */
function* linesOf({ name, fd, size }: OpenFile): Generator<Line> {
  let rest = Buffer.alloc(0);
  let line = 0;
  for (let at = 0; at < size;) {
    const chunk = Buffer.alloc(Math.min(chunkBytes, size - at));
    const got = readSync(fd, chunk, 0, chunk.length, at);
    if (got === 0) break;
    at += got;
    let bytes = Buffer.concat([rest, chunk.subarray(0, got)]);
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10)) {
      line += 1;
      yield { file: name, line, bytes: bytes.subarray(0, end), ended: true };
      bytes = bytes.subarray(end + 1);
    }
    rest = bytes.length > 2 * maxLineBytes ? bytes.subarray(-2 * maxLineBytes) : bytes;
  }
  if (rest.length > 0) yield { file: name, line: line + 1, bytes: rest, ended: false };
}
