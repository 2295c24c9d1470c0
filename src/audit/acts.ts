/**
 * Acts of the history, as the audit hears of them: a run with its exit, and what was refused. Copies are noted where they end. The
 * audit is the evidence; these rows answer questions by time, task, owner and end.
 */
import { author } from '../lib/author.ts';
import type { Act, ActEnd, History } from '../store/history.ts';
import { ownerOf } from '../values/owner.ts';
import type { Audit, AuditEntry } from './types.ts';

const maxShown = 400;

type Notes = Pick<History, 'begun' | 'ended' | 'add'>;

/** The audit itself, with each act noted in the history. Acts are noted once their record is written. */
export function withActs(audit: Audit, history: Notes): Audit {
  return {
    record(entry) {
      const written = audit.record(entry);
      void written.then(
        () => note(history, entry),
        () => undefined, // what is not on record does not happen
      );
      return written;
    },
    recordSoon(entry) {
      audit.recordSoon(entry);
      note(history, entry);
    },
    tail: (how) => audit.tail(how),
    verify: () => audit.verify(),
    figures: () => audit.figures(),
    copyTo: (directory) => audit.copyTo(directory),
    close: () => audit.close(),
  };
}

function note(history: Notes, entry: AuditEntry): void {
  const { type, taskId, execId } = entry;
  if (taskId === null) return;
  if (type === 'run' && entry['repeated'] !== true) history.begun(actOf(entry, taskId));
  if (type === 'exit' && execId !== null) history.ended(execId, endOf(entry));
  if (type === 'decision' && isDenied(entry)) history.add(actOf(entry, taskId), denialOf(entry));
}

/** Tools for files and copies are refused here too; a copy is noted by its verb. */
const isDenied = ({ verdict, kind }: AuditEntry): boolean =>
  verdict === 'deny' && (kind === 'argv' || kind === 'text' || kind === 'code');

function actOf(entry: AuditEntry, taskId: string): Act {
  const { execId, sandboxId, backend, command, token } = entry;
  const { by } = author();
  return {
    id: execId,
    kind: kindOf(entry),
    owner: ownerOf(taskId),
    token: textOf(token) ?? (by.startsWith('tok_') ? by : null),
    taskId,
    sandboxId: textOf(sandboxId),
    backend: textOf(backend),
    command: shortened(Array.isArray(command) ? command.map(String) : []),
    startedAt: Date.now(),
  };
}

function kindOf({ kind, session, detached }: AuditEntry): Act['kind'] {
  if (detached === true) return 'process';
  return session === true || kind === 'text' ? 'session' : 'exec';
}

/** The first words, up to some hundred characters together. */
export function shortened(words: readonly string[]): readonly string[] {
  let left = maxShown;
  const kept: string[] = [];
  for (const word of words) {
    if (left <= 0) return [...kept, '…'];
    kept.push(word.length <= left ? word : `${word.slice(0, left - 1)}…`);
    left -= word.length;
  }
  return kept;
}

function endOf(entry: AuditEntry): ActEnd {
  if (entry['started'] === false) return { ...nothing, outcome: 'failed', reason: 'not_started', rule: null };
  return actEnd({
    reason: textOf(entry['reason']),
    exitCode: numberOf(entry['exit_code']),
    signal: textOf(entry['signal']),
    durationMs: numberOf(entry['duration_ms']),
    bytes: numberOf(entry['bytes']),
  });
}

interface CommandEnd {
  readonly reason: string | null;
  readonly exitCode: number | null;
  readonly signal: string | number | null;
  readonly durationMs?: number | null;
  readonly bytes?: number | null;
}

/** End of a command. Only an exit code of 0 is a good one. */
export function actEnd({ reason, exitCode, signal, durationMs = null, bytes = null }: CommandEnd): ActEnd {
  const isDone = reason === 'exited' && exitCode === 0;
  const outcome = reason === 'lost' ? 'lost' : isDone ? 'done' : 'failed';
  return { outcome, reason, exitCode, signal: signal === null ? null : String(signal), durationMs, bytes, rule: null };
}

function denialOf({ message, rule, code }: AuditEntry): ActEnd {
  return {
    outcome: 'denied',
    ...nothing,
    reason: textOf(message)?.slice(0, maxShown) ?? textOf(code),
    rule: textOf(rule),
  };
}

const nothing = { exitCode: null, signal: null, durationMs: null, bytes: null };

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 ? Math.round(value) : null;
