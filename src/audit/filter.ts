/** Which records a reader wants, and by which marks their lines are found. Pure. */
import { CaissonError } from '../errors.ts';
import type { AuditFilter, AuditRecord, Json } from './types.ts';

/** A record has its time from before it waits for the lock, so that it may stand behind a later one. */
export const lateMs = 60_000;

export interface Span {
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** Throws `invalid_argument`. */
export function spanOf({ since, until }: AuditFilter): Span {
  return { sinceMs: momentOf('since', since, 0), untilMs: momentOf('until', until, Number.POSITIVE_INFINITY) };
}

function momentOf(name: string, text: string | undefined, otherwise: number): number {
  const at = text === undefined ? otherwise : /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new CaissonError('invalid_argument', `${name} is not a time`, {
    remedy: 'write it as RFC 3339 does: 2026-11-27T08:00:00Z',
  });
}

/** Marks that each wanted line has. */
export function keysOf({ owner, task, verdict, rule }: AuditFilter): readonly string[] {
  return [
    ...(owner === undefined ? [] : [`owner ${owner}`]),
    ...(task === undefined ? [] : [`task ${task}`]),
    ...(verdict === undefined ? [] : [`verdict ${verdict}`]),
    ...(rule === undefined ? [] : ['rule']),
  ];
}

const markForm = /"(owner|taskId|sandboxId|verdict)":"([^"\\]*)"|"(rule)":"/g;

/** Marks of a line; those of names within its objects count too, since a mark says only that a line is worth reading. */
export function marksIn(line: string): ReadonlySet<string> {
  const marks = new Set<string>();
  for (const [, name, value = '', rule] of line.matchAll(markForm))
    marks.add(rule ?? `${name === 'taskId' || name === 'sandboxId' ? 'task' : name} ${value}`);
  return marks;
}

/** The time of a line, from its beginning. NaN: it begins otherwise. */
export function timeOf(line: string): number {
  const [, at] = /^\{"seq":\d{1,15},"at":"([^"\\]{1,40})"/.exec(line) ?? [];
  return at === undefined ? Number.NaN : Date.parse(at);
}

export function isWanted(record: AuditRecord, filter: AuditFilter, { sinceMs, untilMs }: Span): boolean {
  const { owner, task, verdict, rule } = filter;
  const at = Date.parse(record.at);
  if (!(at >= sinceMs && at < untilMs)) return false;
  if (owner !== undefined && record['owner'] !== owner) return false;
  if (task !== undefined && record['taskId'] !== task && record['sandboxId'] !== task) return false;
  if (verdict !== undefined && record['verdict'] !== verdict) return false;
  return rule === undefined || rulesOf(record).some((each) => each.includes(rule));
}

/** Rules by which something was decided: of a refusal, of the findings of a decision, and of a denied connection. */
function rulesOf({ rule, findings }: AuditRecord): readonly string[] {
  const found: readonly Json[] = Array.isArray(findings) ? findings : [];
  const rules = found.map((each): unknown => Reflect.get(Object(each), 'rule'));
  return [rule, ...rules].filter((each) => typeof each === 'string');
}
