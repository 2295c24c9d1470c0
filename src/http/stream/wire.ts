/** Events of an exec as clients read them. */
import { isUtf8 } from 'node:buffer';
import type { ExecEvent } from '../../service/api.ts';
import type { WireEvent } from '../schemas/events.ts';

/** Lossless: bytes that are not UTF-8 go as base64. */
export function wireOf({ execId, seq, at, event }: ExecEvent): WireEvent {
  const place = { execId, seq, at };
  switch (event.type) {
    case 'started':
      return { ...place, ...event };
    case 'gap':
      return { type: 'gap', ...place, stream: event.stream, bytes: event.bytes };
    case 'exit':
      return { type: 'exit', ...place, exit: event.exit };
    case 'stdout':
    case 'stderr':
      return { type: event.type, ...place, ...dataOf(event.bytes) };
  }
}

function dataOf(bytes: Uint8Array): { readonly encoding: 'utf-8' | 'base64'; readonly data: string } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(buffer)
    ? { encoding: 'utf-8', data: buffer.toString() }
    : { encoding: 'base64', data: buffer.toString('base64') };
}
