/**
 * What the calls of a task came to, kept for all processes. Two that write at the same moment may lose one call: it is
 * counted by the next.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { History, Outcome } from './detect.ts';

/** `[]` without a history, or with a damaged one. */
export function readHistory(directory: string, taskId: string): History {
  try {
    const value: unknown = JSON.parse(readFileSync(pathOf(directory, taskId), 'utf8'));
    return Array.isArray(value) ? value.filter(isOutcome) : [];
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      return [];
    throw error;
  }
}

export function writeHistory(directory: string, taskId: string, history: History): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const temporary = `${pathOf(directory, taskId)}.${process.pid}`;
  writeFileSync(temporary, JSON.stringify(history), { mode: 0o600 });
  renameSync(temporary, pathOf(directory, taskId));
}

/** Task ids hold nothing that means something in a path. */
const pathOf = (directory: string, taskId: string): string => join(directory, `${taskId}.json`);

function isOutcome(value: unknown): value is Outcome {
  if (typeof value !== 'object' || value === null) return false;
  const { tool, signature, failed, reads, result, at }: Partial<Record<keyof Outcome, unknown>> = value;
  const texts = [tool, signature, result].every((each) => typeof each === 'string');
  return texts && typeof failed === 'boolean' && typeof reads === 'boolean' && typeof at === 'number';
}
