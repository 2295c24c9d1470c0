/** Records of connections, one JSON object a line, a file for each sandbox. Bounded: the older half goes first. */
import { appendFileSync, renameSync, statSync } from 'node:fs';
import type { ConnectionRecord } from '../../network/egress/types.ts';
import { logOf } from './places.ts';

const mostBytes = 4 * 1024 * 1024;
const mostReasonCharacters = 300;

/** Throws nothing: a full disk must not open or close the way out. */
export function logConnection(home: string, sandboxId: string, record: ConnectionRecord): void {
  const path = logOf(home, sandboxId);
  const line = {
    ...record,
    reason: record.reason.slice(0, mostReasonCharacters),
    startedAt: new Date(record.startedAt).toISOString(),
  };
  try {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > mostBytes) renameSync(path, `${path}.1`);
    appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  } catch {
    // What cannot be written is lost; the connection was judged all the same.
  }
}
