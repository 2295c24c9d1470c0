/** What the scanner's end means. The exit code decides; its JSON only says why. Pure. */
import type { ProgramEnd } from '../../lib/run-program.ts';

export type ScanAnswer =
  | { readonly kind: 'allow' }
  | { readonly kind: 'warn' | 'block'; readonly reasons: readonly string[] }
  | { readonly kind: 'failed'; readonly reason: string; readonly missing: boolean };

const kinds: Readonly<Record<number, 'allow' | 'block' | 'warn'>> = { 0: 'allow', 1: 'block', 2: 'warn' };
const maxFindings = 50;
const maxReasonUnits = 500;

export function scanAnswerOf(end: ProgramEnd): ScanAnswer {
  if (end.kind === 'failed') return end;
  const kind = kinds[end.exitCode];
  if (kind === undefined) return { kind: 'failed', reason: `it exited with ${end.exitCode}`, missing: false };
  return kind === 'allow' ? { kind } : { kind, reasons: reasonsIn(end.stdout) };
}

/** Its words hold parts of the command, so they are as hostile as that. */
function reasonsIn(stdout: string): readonly string[] {
  const reasons = findingsIn(stdout)
    .slice(0, maxFindings)
    .flatMap((finding) => reasonOf(finding) ?? []);
  return reasons.length === 0 ? ['it gave no reason'] : [...new Set(reasons)];
}

function findingsIn(stdout: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(stdout);
    return isObject(value) && Array.isArray(value['findings']) ? value['findings'] : [];
  } catch {
    return []; // the exit code has decided
  }
}

function reasonOf(finding: unknown): string | null {
  if (!isObject(finding)) return null;
  const said = ['title', 'description', 'message', 'rule_id']
    .map((name) => finding[name])
    .find((each) => typeof each === 'string');
  return typeof said === 'string' ? said.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ').slice(0, maxReasonUnits) : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
