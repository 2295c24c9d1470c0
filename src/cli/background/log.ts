/** The log of a service in the background: its last lines, and what comes. */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CaissonError } from '../../errors.ts';

const partBytes = 64 * 1024;
const lookMs = 200;

/** Bytes of the log so far: its last lines end there, and what comes begins there. 0: the log does not exist. */
export function endOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Last lines of the file up to `end`, and of the file before it. Throws `failed_precondition` where the log does not exist. */
export function lastLines(path: string, count: number, end = endOf(path)): string {
  const lines: string[] = [];
  for (const each of [path, `${path}.1`]) {
    if (lines.length > count) break;
    lines.unshift(
      ...(readLast(each, count - lines.length, each === path ? end : endOf(each))
        ?.split('\n')
        .slice(0, -1) ?? missing(each, path)),
    );
  }
  return lines
    .slice(lines.length - Math.min(count, lines.length))
    .map((line) => `${line}\n`)
    .join('');
}

function missing(path: string, log: string): readonly string[] {
  if (path !== log) return [];
  throw new CaissonError('failed_precondition', `there is no log ${log}`, {
    remedy: 'a service in the foreground logs to its stderr',
  });
}

/** From the end backwards, until there are so many lines. `null`: there is no such file. */
function readLast(path: string, count: number, end: number): string | null {
  const file = opened(path);
  if (file === null) return null;
  try {
    let text = Buffer.alloc(0);
    for (let at = Math.min(end, fstatSync(file).size); at > 0 && linesIn(text) <= count;) {
      const from = Math.max(at - partBytes, 0);
      const part = Buffer.alloc(at - from);
      readSync(file, part, 0, part.length, from);
      text = Buffer.concat([part, text]);
      at = from;
    }
    return text.toString();
  } finally {
    closeSync(file);
  }
}

const linesIn = (bytes: Buffer): number => bytes.reduce((lines, byte) => lines + (byte === 10 ? 1 : 0), 0);

/** What is written from `end` on, also after the file was emptied because it was full. */
export async function* following(path: string, end: number, signal: AbortSignal): AsyncGenerator<Buffer, void, void> {
  const file = opened(path);
  if (file === null) return;
  try {
    let at = end;
    const part = Buffer.alloc(partBytes);
    while (!signal.aborted) {
      if (fstatSync(file).size < at) at = 0;
      const count = readSync(file, part, 0, partBytes, at);
      at += count;
      if (count > 0) yield Buffer.from(part.subarray(0, count));
      else await sleep(lookMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    closeSync(file);
  }
}

function opened(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new CaissonError('failed_precondition', `${path} cannot be read`, { cause: error });
  }
}
