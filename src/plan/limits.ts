/** Limits that make sense: positive, and within what kernels can count. */
import type { LimitName, Limits } from '../backend.ts';
import { CaissonError } from '../errors.ts';

interface Range {
  readonly min: number;
  readonly max: number;
  readonly whole: boolean;
}

const mebibyte = 1024 ** 2;

const ranges: Readonly<Record<LimitName, Range>> = {
  cpuCores: { min: 0.01, max: 1024, whole: false },
  /** Below 6 MiB no container starts (the floor that Docker has). */
  memoryBytes: { min: 6 * mebibyte, max: 2 ** 50, whole: true },
  diskBytes: { min: mebibyte, max: 2 ** 50, whole: true },
  pids: { min: 1, max: 2 ** 22, whole: true },
};

export const limitNames: readonly LimitName[] = ['cpuCores', 'memoryBytes', 'diskBytes', 'pids'];

/** Throws `invalid_argument`. Types are checked at run time, since requests also come as JSON. */
export function checkLimits(limits: Limits): Limits {
  for (const name of limitNames) {
    const value: unknown = limits[name];
    if (value !== null && !isWithinRange(value, ranges[name])) throw limitRangeError(name, value);
  }
  return limits;
}

function isWithinRange(value: unknown, { min, max, whole }: Range): boolean {
  return typeof value === 'number' && value >= min && value <= max && (!whole || Number.isInteger(value));
}

function limitRangeError(name: LimitName, value: unknown): CaissonError {
  const { min, max, whole } = ranges[name];
  const got = typeof value === 'number' ? String(value) : `a ${typeof value}`;
  return new CaissonError(
    'invalid_argument',
    `the limit ${name} must be a ${whole ? 'whole ' : ''}number from ${min} to ${max}, or null; it is ${got}`,
    {
      details: { limit: name },
    },
  );
}
