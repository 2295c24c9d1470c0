/** One stream of an exec as its record has it. */
import type { Journal } from '../journal/types.ts';
import type { StreamName } from '../values/exec-event.ts';

export interface Part {
  readonly name: StreamName;
  /** Bytes before it are left out. */
  readonly from: number;
}

/** Follows the record to its end. What the record lacks is left out: its exit says how much. */
export async function* recordedStream(
  journal: Pick<Journal, 'read'>,
  execId: string,
  { name, from }: Part,
): AsyncGenerator<Uint8Array, void, void> {
  let at = 0;
  for await (const { event } of journal.read(execId, { follow: true })) {
    if (event.type === 'gap' && event.stream === name) at += event.bytes;
    if (event.type !== name) continue;
    const { bytes } = event;
    if (at + bytes.length > from) yield bytes.subarray(Math.max(0, from - at));
    at += bytes.length;
  }
}
