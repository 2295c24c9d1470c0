/** Archives made byte by byte, as no honest tar would write them. */

export interface HostileEntry {
  readonly name: string;
  readonly type?: string;
  readonly mode?: number;
  /** The size field: a number, or its twelve bytes. */
  readonly size?: number | Buffer;
  readonly link?: string;
  readonly body?: Buffer;
  /** POSIX magic and prefix instead of the GNU form. */
  readonly prefix?: string;
  readonly mtime?: Buffer;
}

export function entry({
  name,
  type = '0',
  mode = 0o644,
  body = Buffer.alloc(0),
  size = body.length,
  link = '',
  prefix,
  mtime,
}: HostileEntry): Buffer {
  const block = Buffer.alloc(512);
  block.write(name, 0, 100, 'latin1');
  block.write(`${mode.toString(8).padStart(7, '0')}\0`, 100, 'latin1');
  block.write('0000000\0', 108, 'latin1');
  block.write('0000000\0', 116, 'latin1');
  if (typeof size === 'number') block.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  else size.copy(block, 124);
  if (mtime === undefined) block.write('00000000000\0', 136, 'latin1');
  else mtime.copy(block, 136);
  block.write(type, 156, 'latin1');
  block.write(link, 157, 100, 'latin1');
  block.write(prefix === undefined ? 'ustar  \0' : 'ustar\x0000', 257, 'latin1');
  if (prefix !== undefined) block.write(prefix, 345, 155, 'latin1');
  block.write('        ', 148, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return Buffer.concat([block, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

export const endMark = Buffer.alloc(1024);
export const root = entry({ name: './', type: '5', mode: 0o755 });

/** A tree: the root, these entries, the end. */
export function tree(...entries: readonly Buffer[]): Buffer {
  return Buffer.concat([root, ...entries, endMark]);
}

export function file(name: string, content = 'x'): Buffer {
  return entry({ name, body: Buffer.from(content) });
}

export const directory = (name: string): Buffer => entry({ name, type: '5', mode: 0o755 });
export const symlink = (name: string, link: string): Buffer => entry({ name, type: '2', link });

/** A GNU long name (`L`) or long link (`K`) before an entry. */
export function long(type: 'L' | 'K', value: string): Buffer {
  return entry({ name: '././@LongLink', type, body: Buffer.from(`${value}\0`, 'latin1') });
}

export function pax(records: Readonly<Record<string, string>>, type = 'x'): Buffer {
  const text = Object.entries(records)
    .map(([key, value]) => paxRecord(key, value))
    .join('');
  return entry({ name: 'PaxHeaders/0', type, body: Buffer.from(text, 'latin1') });
}

function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return `${length}${rest}`;
}

export function base256(value: bigint, first = 0x80): Buffer {
  const field = Buffer.alloc(12);
  field.writeBigUInt64BE(BigInt.asUintN(64, value), 4);
  field[0] = first;
  if (first === 0xff) field.fill(0xff, 0, 4);
  return field;
}
