/** Decisions as the audit keeps them. A command without findings that was let through has only the record of its run. */
import type { Caller } from '../values/caller.ts';
import { commandFacts } from '../audit/facts.ts';
import type { Audit, AuditEntry } from '../audit/types.ts';
import { toCaissonError } from '../errors.ts';
import { given } from '../lib/given.ts';
import { type Call, readable } from './call.ts';
import type { Admission, Record } from './gate.ts';

/**
 * A refusal holds also when it cannot be recorded. What may run is written before the record of its run, or with it: when
 * that cannot be written, it does not start.
 */
export function recordIn(audit: Audit): Record {
  return (from, outcome) => {
    if ('refused' in outcome) audit.recordSoon(refusedEntry(from, outcome.refused));
    else if (outcome.decision.findings.length > 0 || outcome.call.subject !== from.subject)
      audit.recordSoon(admittedEntry(from, outcome));
  };
}

function refusedEntry(from: Call, refused: unknown): AuditEntry {
  const { code, message, details } = toCaissonError(refused);
  const denial = { verdict: 'deny', code, message: message.slice(0, 1000), tier: text(details['tier']) };
  return { ...entry(from), ...denial, reason: text(details['reason']), rule: ruleIn(details['findings']) };
}

function admittedEntry(from: Call, { call, decision, answered }: Admission): AuditEntry {
  const rules = decision.findings.map(({ rule, description }) => ({ rule, description }));
  const changed = call.subject === from.subject ? {} : { changed: wordsOf(call) };
  return {
    ...entry(from),
    verdict: decision.verdict,
    tier: decision.tier,
    answered: answered ?? null,
    findings: rules,
    ...changed,
  };
}

function entry(call: Call): AuditEntry {
  const { taskId, execId, backend, reach, cwd, user, envNames, subject } = call;
  const facts = { backend, reach, kind: subject.kind, ...commandFacts({ command: wordsOf(call), cwd, env: {} }) };
  return { type: 'decision', taskId, execId, ...facts, ...given({ user }), env: envNames };
}

function wordsOf({ subject, masked = (word) => word }: Call): readonly string[] {
  const command = readable(subject);
  return (typeof command === 'string' ? [command] : command).map((word) => masked(word));
}

/** The first finding is of the strictest rule. */
function ruleIn(findings: unknown): string | null {
  const first: unknown = Array.isArray(findings) ? findings[0] : null;
  return text(Reflect.get(Object(first), 'because')) ?? text(Reflect.get(Object(first), 'rule'));
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Which client did it; nothing where it was the holder of the state directory. */
export const callerEntry = (caller: Caller | undefined): { readonly caller?: { owner: string; token: string } } =>
  caller === undefined ? {} : { caller: { owner: caller.owner, token: caller.token } };
