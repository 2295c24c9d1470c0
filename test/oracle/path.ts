/** The ways by which Caisson runs a command, and which commands each of them can run. */
import type { Case } from './case.ts';

export const paths = [
  /** The backend's own exec: no lanes. */
  'direct',
  /** A lane, several at once. */
  'lane',
  /** A child that stands ready, since commands come one at a time. */
  'ready',
  'session',
  /** A program in bash. */
  'code',
  'detached',
  'terminal',
  /** The client of a service. */
  'service',
  /** The tool `run_command`. */
  'mcp',
] as const;

export type Path = (typeof paths)[number];

/** Runs at once on each path. A single run finds a child that stands ready. */
export const together: Readonly<Record<Path, number>> = {
  direct: 3,
  lane: 4,
  ready: 1,
  session: 3,
  code: 3,
  detached: 3,
  terminal: 3,
  service: 4,
  mcp: 3,
};

const takesStdin: ReadonlySet<Path> = new Set(['direct', 'detached', 'service']);

export function canRun(path: Path, { stdin, reads }: Pick<Case, 'stdin' | 'reads'>): boolean {
  if (stdin !== null) return takesStdin.has(path);
  return path !== 'terminal' || !reads;
}
