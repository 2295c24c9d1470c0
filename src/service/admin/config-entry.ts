/** What the audit is given of a change of the configuration. It adds who made it. */
import type { AuditEntry } from '../../audit/types.ts';

/** Names of keys. Values may be secrets, and are in no entry. */
export function configEntry(
  what: 'set' | 'reload' | 'reload-refused',
  keys: readonly string[],
  more: { readonly needsRestart?: readonly string[] } = {},
): AuditEntry {
  return { type: 'config', taskId: null, execId: null, what, keys, ...more };
}
