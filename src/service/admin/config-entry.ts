/** What the audit is given of a change of the configuration. It adds who made it. */
import type { AuditEntry } from '../../audit/types.ts';

/** Names of keys. Values may be secrets, and are in no entry. */
export function configEntry(
  what: 'set' | 'edit' | 'tighten' | 'reload' | 'reload-refused',
  keys: readonly string[],
  more: { readonly needsRestart?: readonly string[]; readonly loosens?: readonly string[] } = {},
): AuditEntry {
  return { type: 'config', taskId: null, execId: null, what, keys, ...more };
}

/** The keys of lines such as `approvals.rules.deny: terminal(make:*)`. */
export const keysOf = (lines: readonly string[]): readonly string[] => [
  ...new Set(lines.map((line) => line.slice(0, line.indexOf(': ')))),
];
