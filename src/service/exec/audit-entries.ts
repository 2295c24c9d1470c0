/** What the audit records of a run, and what its caller gets. */
import { commandFacts } from '../../audit/facts.ts';
import type { AuditEntry } from '../../audit/types.ts';
import { given } from '../../lib/given.ts';
import type { Exit } from '../../values/exit.ts';
import type { ExecRequest } from '../../exec/types.ts';
import type { Where } from '../../values/exec-event.ts';
import type { Handle } from '../../sandbox/context.ts';
import type { Redaction } from '../../redact/redactor.ts';

export function runEntry(request: ExecRequest, handle: Handle, redaction: Redaction | null): AuditEntry {
  const { backend, taskId, sandboxId, host, resource, recreated } = whereOf(handle);
  const degraded = handle.row.degraded.map(({ control }) => control);
  const place = { backend, sandboxId, host, resource, recreated, degraded };
  const { execId, user } = request;
  return { type: 'run', taskId, execId, ...place, ...given({ user }), ...commandFacts(request, redaction) };
}

/** An exit says `lost` of a command that did not start, where its end is known: `started` tells the two apart. */
export function notStartedEntry(execId: string, taskId: string, exit: Exit): AuditEntry {
  return { ...exitEntry(execId, taskId, exit), started: false };
}

export function exitEntry(execId: string, taskId: string, exit: Exit): AuditEntry {
  const { reason, exitCode, signal, durationMs, stdout, stderr, notes } = exit;
  const bytes = stdout.bytes + stderr.bytes;
  const facts = { reason, exit_code: exitCode, signal, duration_ms: Math.round(durationMs), bytes, notes };
  return { type: 'exit', taskId, execId, ...facts };
}

export function whereOf({ row, sandbox, how }: Pick<Handle, 'row' | 'sandbox' | 'how'>): Where {
  const { host, resource } = sandbox.place;
  return {
    backend: row.backend,
    taskId: row.taskId,
    sandboxId: row.id,
    host,
    resource,
    recreated: how === 'recreated',
  };
}
