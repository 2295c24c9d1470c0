/** The records of a pax header that change where or how much we write. All others say nothing to us and are passed by. */
import type { ByteName } from './byte-name.ts';
import { archiveRefusedError } from './refusal.ts';

export interface PaxOverrides {
  name?: ByteName;
  link?: ByteName;
  size?: number;
}

export function readPax(body: Buffer): PaxOverrides {
  const found: PaxOverrides = {};
  let at = 0;
  while (at < body.length) {
    const record = nextRecord(body, at);
    apply(found, record);
    at = record.end;
  }
  return found;
}

interface Rec {
  readonly key: string;
  readonly value: string;
  readonly end: number;
}

/** `LENGTH KEY=VALUE\n`, where the length counts all of it. */
function nextRecord(body: Buffer, at: number): Rec {
  const space = body.indexOf(0x20, at);
  const digits = space === -1 || space - at > 6 ? '' : body.toString('latin1', at, space);
  const end = at + (/^[1-9][0-9]*$/.test(digits) ? Number(digits) : 0);
  const equals = body.indexOf(0x3d, space);
  if (end <= at || end > body.length || body[end - 1] !== 0x0a || equals === -1 || equals >= end) {
    throw archiveRefusedError('extension', 'a pax header that is not well formed');
  }
  return { key: body.toString('latin1', space + 1, equals), value: body.toString('latin1', equals + 1, end - 1), end };
}

function apply(found: PaxOverrides, { key, value }: Rec): void {
  if (key.startsWith('GNU.sparse.')) throw archiveRefusedError('sparse', 'sparse files are not accepted');
  if (key === 'path') found.name = value;
  if (key === 'linkpath') found.link = value;
  if (key === 'size') found.size = /^[0-9]{1,16}$/.test(value) ? Number(value) : Number.NaN;
}
