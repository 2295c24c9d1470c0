/** The head of an HTTP/1.1 answer (RFC 9112), and how its body is delimited. Pure, but for the lines that are read. */
import { protocolError, type Incoming } from './incoming.ts';

export interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** `until-close`: the end of the connection is the end of the body. */
export type Framing = { readonly bytes: number } | 'chunked' | 'until-close';

const maxHeadBytes = 64 * 1024;
const maxHeaders = 256;
/** 100 and 103 may come before the answer. */
const maxInterim = 16;

const statusLine = /^HTTP\/1\.1 ([1-5][0-9]{2})(?: |$)/;
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/;

/** The final answer: of interim ones only 101, which ends HTTP on the connection. */
export async function readHead(incoming: Incoming): Promise<Head> {
  for (let count = 0; count < maxInterim; count += 1) {
    const head = await readOne(incoming);
    if (head.status >= 200 || head.status === 101) return head;
  }
  throw protocolError('it sends interim answers without end');
}

async function readOne(incoming: Incoming): Promise<Head> {
  const first = await incoming.line(maxHeadBytes);
  const status = statusLine.exec(first)?.[1];
  if (status === undefined) throw protocolError('it has no HTTP/1.1 status line');
  return { status: Number(status), headers: await readFields(incoming) };
}

/** Lines up to an empty one: headers, or trailers. A name that is repeated has its values with a comma between them. */
export async function readFields(incoming: Incoming): Promise<Readonly<Record<string, string>>> {
  const fields = new Map<string, string>();
  let left = maxHeadBytes;
  for (let count = 0; ; count += 1) {
    const line = await incoming.line(left);
    if (line === '') return Object.fromEntries(fields);
    left -= line.length;
    const [, name, value = ''] = headerLine.exec(line) ?? [];
    if (name === undefined || count >= maxHeaders || left <= 0)
      throw protocolError('its header is malformed or too long');
    const key = name.toLowerCase();
    const earlier = fields.get(key);
    fields.set(key, earlier === undefined ? value : `${earlier}, ${value}`);
  }
}

/** RFC 9112, 6.3. Two lengths are refused: one of them would be the start of another answer. */
export function framingOf({ status, headers }: Head): Framing {
  if (status === 204 || status === 304 || status < 200) return { bytes: 0 };
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  if (coding !== undefined) {
    if (coding.toLowerCase() !== 'chunked' || length !== undefined) throw protocolError('its body has no clear length');
    return 'chunked';
  }
  if (length === undefined) return 'until-close';
  if (!/^[0-9]{1,15}$/.test(length)) throw protocolError('its body has no clear length');
  return { bytes: Number(length) };
}
