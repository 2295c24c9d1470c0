/** What is known of the output of a process whose streams are readable streams of this process. */
import { finished } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import type { Outputs, Process } from '../../src/backend.ts';

/** `ended` when both streams reach their end, `cut` when one breaks before it. Open as long as one is open. */
export async function outputsOf(process: Pick<Process, 'stdout' | 'stderr'>): Promise<Outputs> {
  const faults = await Promise.all([process.stdout, process.stderr].map(faultOf));
  const why = faults.find((fault) => fault !== null);
  return why === undefined || why === null ? { is: 'ended' } : { is: 'cut', why };
}

async function faultOf(stream: Readable): Promise<string | null> {
  try {
    await finished(stream, { writable: false });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 200) : 'the stream broke';
  }
}
