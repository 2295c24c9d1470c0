/** Records of connections, one JSON object a line, a file for each sandbox. Bounded: the older half goes first. */
import { appendFileSync, existsSync, renameSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { ConnectionRecord } from './door/types.ts';
import type { Denied } from './denied.ts';
import { doorOf, logOf } from './places.ts';

const maxBytes = 4 * 1024 * 1024;
const maxReasonCharacters = 300;
/** The clock of file times is behind by some milliseconds. */
const slackMs = 1000;
/** Most bytes that are read of each of the two files, for the denials of one exec. */
const maxReadBytes = 64 * 1024;

/** Throws nothing: a full disk must not open or close the way out. */
export function logConnection(home: string, sandboxId: string, record: ConnectionRecord): void {
  // Its connections may end later than the sandbox, whose record was removed with its door.
  if (!existsSync(doorOf(home, sandboxId))) return;
  const path = logOf(home, sandboxId);
  const line = {
    ...record,
    reason: record.reason.slice(0, maxReasonCharacters),
    startedAt: new Date(record.startedAt).toISOString(),
  };
  try {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) renameSync(path, `${path}.1`);
    appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  } catch {
    // What cannot be written is lost; the connection was judged all the same.
  }
}

/** Connections that were denied at this time or later, of the newest records. Rejects never: what cannot be read is left out. */
export async function deniedSince(home: string, sandboxId: string, sinceMs: number): Promise<readonly Denied[]> {
  const path = logOf(home, sandboxId);
  const texts = await Promise.all([`${path}.1`, path].map(async (each) => await endOf(each, sinceMs).catch(() => '')));
  return texts.flatMap((text) => text.split('\n').flatMap((line) => deniedIn(line, sinceMs)));
}

/** Empty where nothing was written since. */
async function endOf(path: string, sinceMs: number): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size, mtimeMs } = await file.stat();
    if (mtimeMs + slackMs < sinceMs) return '';
    const bytes = Buffer.alloc(Math.min(size, maxReadBytes));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The first line that is read may be a part of one. */
function deniedIn(line: string, sinceMs: number): readonly Denied[] {
  try {
    const read: unknown = JSON.parse(line);
    const of = (key: string): unknown => (typeof read === 'object' && read !== null ? Reflect.get(read, key) : null);
    const [name, port, rule] = [of('name'), of('port'), of('rule')];
    const endedAt = Date.parse(String(of('startedAt'))) + Number(of('durationMs'));
    // Times are rounded to milliseconds.
    if (of('verdict') !== 'deny' || typeof rule !== 'string' || !(endedAt + 1 >= sinceMs)) return [];
    return [{ name: typeof name === 'string' ? name : null, port: typeof port === 'number' ? port : null, rule }];
  } catch {
    return [];
  }
}
