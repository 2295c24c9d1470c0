import type { CaissonClient } from 'caisson/client';
import { useLive } from '../../live/client.ts';
import { useLoaded } from '../../live/loaded.ts';
import { cut, shown } from '../../text/hostile.ts';
import { Output } from '../sandbox/execs/output.ts';
import { lastLineOf } from './rows.ts';

const everyMs = 10_000;
/** A line is rarely longer. */
const tailBytes = 4096;

interface Input {
  readonly execId: string;
  readonly runs: boolean;
}

/** The last line that the command has written. */
export function LastLine({ execId, runs }: Input) {
  const { client } = useLive();
  const { value } = useLoaded((signal) => lastLine(client, execId, signal), {
    key: `${execId} ${runs}`,
    ...(runs ? { everyMs } : {}),
  });
  return value === null || value === '' ? null : <span class="dim"> → {cut(shown(value), 120)}</span>;
}

async function lastLine({ execs }: CaissonClient, execId: string, signal: AbortSignal): Promise<string> {
  const output = new Output();
  for await (const { event } of execs.logs(execId, { tailBytes }, { signal })) {
    if (event.type === 'stdout' || event.type === 'stderr') output.add(event.type, event.bytes);
    if (event.type === 'gap') output.addGap(event.stream, event.bytes);
  }
  return lastLineOf(output.text);
}
