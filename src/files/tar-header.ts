/**
 * The 512 byte header of a tar entry, both ways (GNU tar manual, "Basic Tar Format"; POSIX pax).
 *
 * Written in the GNU form, long names in an `L` entry: GNU tar, BusyBox, toybox and bsdtar all read it, byte for byte,
 * while BusyBox ignores pax records.
 */
import { type ByteName, toBytes } from './byte-name.ts';

export const blockBytes = 512;
/** What the size field holds in octal; more goes in base 256. */
const octalMost = 0o77777777777;

export type TypeFlag = string;

export interface HeaderFields {
  readonly name: ByteName;
  readonly type: TypeFlag;
  readonly mode: number;
  readonly size: number;
  /** Seconds since the epoch. */
  readonly mtime: number;
  readonly link: ByteName;
}

export const padded = (bytes: number): number => Math.ceil(bytes / blockBytes) * blockBytes;

/** Header blocks of one entry: one, or with `L` and `K` entries before it where names do not fit. */
export function encodeHeader(fields: HeaderFields): Buffer {
  const blocks: Buffer[] = [];
  if (fields.link.length > 100) blocks.push(longName('K', fields.link));
  if (fields.name.length > 100) blocks.push(longName('L', fields.name));
  blocks.push(encodeBlock(fields));
  return blocks.length === 1 && blocks[0] !== undefined ? blocks[0] : Buffer.concat(blocks);
}

function longName(type: TypeFlag, name: ByteName): Buffer {
  const size = name.length + 1;
  const body = Buffer.alloc(padded(size));
  toBytes(name).copy(body);
  return Buffer.concat([encodeBlock({ name: '././@LongLink', type, mode: 0, size, mtime: 0, link: '' }), body]);
}

function encodeBlock({ name, type, mode, size, mtime, link }: HeaderFields): Buffer {
  const block = Buffer.alloc(blockBytes);
  block.write(name.slice(0, 100), 0, 'latin1');
  writeOctal(block, mode, { at: 100, digits: 7 });
  writeOctal(block, 0, { at: 108, digits: 7 });
  writeOctal(block, 0, { at: 116, digits: 7 });
  writeSize(block, size);
  writeOctal(block, clampTime(mtime), { at: 136, digits: 11 });
  block.write(type, 156, 'latin1');
  block.write(link.slice(0, 100), 157, 'latin1');
  block.write('ustar  \0', 257, 'latin1');
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

function writeOctal(block: Buffer, value: number, field: { at: number; digits: number }): void {
  block.write(value.toString(8).padStart(field.digits, '0'), field.at, 'latin1');
}

function writeSize(block: Buffer, size: number): void {
  if (size <= octalMost) {
    writeOctal(block, size, { at: 124, digits: 11 });
    return;
  }
  block[124] = 0x80;
  block.writeBigUInt64BE(BigInt(size), 128);
}

const clampTime = (seconds: number): number => Math.min(Math.max(Math.floor(seconds), 0), octalMost);

/** The sum of all bytes, with the checksum field itself as spaces. */
function checksum(block: Buffer): number {
  let sum = 8 * 0x20;
  for (let i = 0; i < blockBytes; i++) if (i < 148 || i >= 156) sum += block[i] ?? 0;
  return sum;
}

/** `null`: these 512 bytes are no header. A size that is negative or beyond what numbers hold is NaN. */
export function decodeHeader(block: Buffer): HeaderFields | null {
  if (readNumber(block.subarray(148, 156)) !== checksum(block)) return null;
  const name = text(block.subarray(0, 100));
  return {
    name: joinPrefix(block, name),
    type: String.fromCharCode(block[156] ?? 0),
    mode: readNumber(block.subarray(100, 108)),
    size: readNumber(block.subarray(124, 136)),
    mtime: readNumber(block.subarray(136, 148)),
    link: text(block.subarray(157, 257)),
  };
}

/** POSIX archives split long names; GNU ones ("ustar  ") keep other things in those bytes. */
function joinPrefix(block: Buffer, name: ByteName): ByteName {
  if (block.toString('latin1', 257, 263) !== 'ustar\0') return name;
  const prefix = text(block.subarray(345, 500));
  return prefix === '' ? name : `${prefix}/${name}`;
}

function text(field: Buffer): ByteName {
  const end = field.indexOf(0);
  return field.toString('latin1', 0, end === -1 ? field.length : end);
}

/** Octal digits between spaces and NULs, or base 256 when the first bit is set. */
function readNumber(field: Buffer): number {
  const first = field[0] ?? 0;
  if (first >= 0x80) return readBase256(field);
  const digits = /^[ \0]*([0-7]*)[ \0]*$/.exec(field.toString('latin1'))?.[1];
  return digits === undefined ? Number.NaN : Number.parseInt(digits === '' ? '0' : digits, 8);
}

function readBase256(field: Buffer): number {
  let value = (field[0] ?? 0) & 0x7f;
  for (const byte of field.subarray(1)) value = value * 256 + byte;
  return Number.isSafeInteger(value) ? value : Number.NaN;
}
