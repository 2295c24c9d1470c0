/** Bounds of one download: what a sandbox sends is never trusted to end by itself. */
import { CaissonError } from '../errors.ts';

export interface CopyLimits {
  /** Content of all files together. */
  readonly bytes: number;
  readonly entries: number;
  /** Directories above an entry, at most 128. Each one costs an open descriptor while it is being filled. */
  readonly depth: number;
  /** Length of one name with its directories. */
  readonly pathBytes: number;
  readonly durationMs: number;
}

export const deepest = 128;

const defaults: CopyLimits = {
  bytes: 64 * 2 ** 30,
  entries: 1_000_000,
  depth: deepest,
  pathBytes: 4096,
  durationMs: 3_600_000,
};

export function withDefaults(limits: Partial<CopyLimits> = {}): CopyLimits {
  const merged = { ...defaults, ...limits };
  for (const [name, value] of Object.entries(merged)) {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new CaissonError(
        'invalid_argument',
        `limit ${name} of a copy must be a whole number, not ${String(value)}`,
      );
    }
  }
  if (merged.depth > deepest)
    throw new CaissonError('invalid_argument', `a copy cannot go deeper than ${deepest} directories`);
  return merged;
}
