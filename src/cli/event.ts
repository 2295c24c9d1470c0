/** A recorded event as JSON. */
import type { ExecEvent } from '../service/api.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes as text where they are text, else as base64: one field or the other, so that nothing is lost. */
export function eventJson({ event, ...rest }: ExecEvent): object {
  if (event.type !== 'stdout' && event.type !== 'stderr') return { ...rest, ...event };
  try {
    return { ...rest, type: event.type, data: utf8.decode(event.bytes) };
  } catch {
    // Not UTF-8, or cut within a character.
    return { ...rest, type: event.type, dataB64: Buffer.from(event.bytes).toString('base64') };
  }
}
