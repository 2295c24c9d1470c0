/** What the frames of an exec hold, as bytes and back. Files may be damaged or of another version: all is checked. */
import type { Exit, ExitReason, StreamSummary, Survivor } from '../values/exit.ts';
import type { StreamName, Where } from '../values/exec-event.ts';
import type { Frame } from './frame.ts';
import { frameTypes } from './frame.ts';
import type { ExecHeader } from './types.ts';

/** Longer commands are kept cut: they are for people to recognise. */
const commandBytes = 64 * 1024;

export interface StartedRecord {
  readonly execId: string;
  readonly sandboxId: string;
  readonly taskId: string;
}

/** Three lines for the catalogue, which reads them without parsing JSON; then JSON. */
export function encodeStarted(execId: string, { command, cwd, user, tty = false, where }: ExecHeader): Buffer {
  const index = [execId, where.sandboxId, where.taskId].map((id) => id.replaceAll('\n', ' ')).join('\n');
  return Buffer.from(`${index}\n${JSON.stringify({ command: boundCommand(command), cwd, user, tty, where })}`);
}

export function decodeIndex(payload: Buffer): StartedRecord | null {
  const ends = indexEnds(payload);
  if (ends === null) return null;
  const [first, second, third] = ends;
  return {
    execId: payload.toString('utf8', 0, first),
    sandboxId: payload.toString('utf8', first + 1, second),
    taskId: payload.toString('utf8', second + 1, third),
  };
}

function indexEnds(payload: Buffer): readonly [number, number, number] | null {
  const first = payload.indexOf('\n');
  const second = payload.indexOf('\n', first + 1);
  const third = payload.indexOf('\n', second + 1);
  return first === -1 || second === -1 || third === -1 ? null : [first, second, third];
}

export interface StartedEvent {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly user?: string;
  readonly tty: boolean;
  readonly where: Where;
}

export function decodeStarted(payload: Buffer): StartedEvent | null {
  const ends = indexEnds(payload);
  const value = ends === null ? null : parseObject(payload.toString('utf8', ends[2] + 1));
  const where = value === null ? null : readWhere(value['where']);
  if (value === null || where === null) return null;
  const { command, cwd, user } = value;
  if (!Array.isArray(command) || !command.every((word) => typeof word === 'string') || typeof cwd !== 'string')
    return null;
  // Records of an earlier version do not say.
  return { command, cwd, ...(typeof user === 'string' ? { user } : {}), tty: value['tty'] === true, where };
}

function boundCommand(command: readonly string[]): readonly string[] {
  if (command.reduce((sum, word) => sum + word.length, 0) <= commandBytes / 4) return command;
  let left = commandBytes;
  const bound: string[] = [];
  for (const word of command) {
    if (left <= 0) return [...bound, `(${command.length - bound.length} more arguments)`];
    bound.push(word.length > left ? `${word.slice(0, left)} (${word.length - left} more characters)` : word);
    left -= word.length + 1;
  }
  return bound;
}

export function encodeExit(exit: Exit): Buffer {
  return Buffer.from(JSON.stringify(exit));
}

const reasons: ReadonlySet<string> = new Set<ExitReason>([
  'exited',
  'signaled',
  'timed-out',
  'canceled',
  'output-limit',
  'out-of-memory',
  'lost',
]);

export function decodeExit(payload: Buffer): Exit | null {
  const value = parseObject(payload.toString('utf8'));
  if (value === null) return null;
  const { reason, exitCode, signal, durationMs, survivors, redactions, notes } = value;
  if (
    !isReason(reason) ||
    !isNullOr(exitCode, 'number') ||
    !isNullOr(signal, 'string') ||
    typeof durationMs !== 'number'
  )
    return null;
  return {
    reason,
    exitCode,
    signal,
    signalGuessed: value['signalGuessed'] === true,
    durationMs,
    stdout: readSummary(value['stdout']),
    stderr: readSummary(value['stderr']),
    backgroundOpen: value['backgroundOpen'] === true,
    survivors: Array.isArray(survivors) ? survivors.filter(isSurvivor) : null,
    redactions: typeof redactions === 'number' ? redactions : null,
    notes: Array.isArray(notes) ? notes.filter((note) => typeof note === 'string') : [],
  };
}

export interface Extent {
  readonly fileOffset: number;
  readonly length: number;
}

export function encodeExtent({ fileOffset, length }: Extent): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeDoubleLE(fileOffset, 0);
  bytes.writeUInt32LE(length, 8);
  return bytes;
}

export function decodeExtent(payload: Buffer): Extent {
  return { fileOffset: payload.readDoubleLE(0), length: payload.readUInt32LE(8) };
}

/** Bytes of the stream that the frame stands for. */
export function bytesIn(frame: Frame, stream: StreamName): number {
  if (frame.type === frameTypes[stream]) return frame.payload.length;
  return frame.type === frameTypes[`${stream}Spill`] ? decodeExtent(frame.payload).length : 0;
}

export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    // Not JSON: damage that the CRC missed, or another version. The caller treats it as absent.
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isReason(value: unknown): value is ExitReason {
  return typeof value === 'string' && reasons.has(value);
}

function isNullOr(value: unknown, type: 'number'): value is number | null;
function isNullOr(value: unknown, type: 'string'): value is string | null;
function isNullOr(value: unknown, type: 'number' | 'string'): boolean {
  return value === null || typeof value === type;
}

function isSurvivor(value: unknown): value is Survivor {
  return isObject(value) && typeof value['pid'] === 'number' && typeof value['command'] === 'string';
}

function readSummary(value: unknown): StreamSummary {
  if (!isObject(value) || typeof value['bytes'] !== 'number') return { bytes: 0, truncated: true, complete: null };
  const { bytes, truncated, complete } = value;
  // Records of earlier versions do not have it.
  return { bytes, truncated: truncated === true, complete: typeof complete === 'boolean' ? complete : null };
}

function readWhere(value: unknown): Where | null {
  if (!isObject(value)) return null;
  const { backend, taskId, sandboxId, host, resource, recreated } = value;
  if (typeof backend !== 'string' || typeof taskId !== 'string' || typeof sandboxId !== 'string') return null;
  if (!isNullOr(host, 'string') || !isNullOr(resource, 'string')) return null;
  return { backend, taskId, sandboxId, host, resource, recreated: recreated === true };
}
