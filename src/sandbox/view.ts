/** A row as callers see it. */
import type { Sandbox } from '../backend.ts';
import type { Clock } from '../lib/clock.ts';
import type { SandboxRow } from '../store/store.ts';
import { expiresAt } from './expiry.ts';

export interface View {
  /** Id of the sandbox: `sbx_` and 16 of [a-z0-9]. */
  readonly id: string;
  /** Task of the sandbox. */
  readonly taskId: string;
  /** Name of the backend. */
  readonly backend: string;
  /** State on record. */
  readonly state: SandboxRow['state'];
  /** Name of the resource in the place. */
  readonly name: string;
  /** `null` when the place was not asked, or has nothing. */
  readonly place: Sandbox['place'] | null;
  /** Sandbox that was asked for. */
  readonly spec: SandboxRow['spec'];
  /** SHA-256 of the spec, which tells sandboxes of different specs apart. */
  readonly fingerprint: string;
  /** What a probe inside measured; `null` when it has not run or could not. */
  readonly effective: SandboxRow['effective'];
  /** Controls that were asked for and do not hold. */
  readonly degraded: SandboxRow['degraded'];
  /** The place ended the sandbox, and its files were then those of this moment. RFC 3339, UTC; `null`: nothing was lost. */
  readonly lostSince: string | null;
  /** Directory of the task on this host. `null`: it has none. */
  readonly directory: string | null;
  /** Whether it is removed with the handle that made it. */
  readonly ephemeral: boolean;
  /** Labels, beside those of Caisson itself. */
  readonly labels: SandboxRow['labels'];
  /** Without use, and since its creation. `null`: never. */
  readonly idleTimeoutMs: number | null;
  /** Milliseconds from its creation until it is ended. `null`: never. */
  readonly lifetimeMs: number | null;
  /** Counts each making of the resource, from 1 on. */
  readonly generation: number;
  /** RFC 3339, UTC. */
  readonly createdAt: string;
  /** RFC 3339, UTC. End of the last command, session or copy. */
  readonly usedAt: string;
  /** RFC 3339, UTC. `null`: nothing ends it by itself. */
  readonly expiresAt: string | null;
}

export function viewOf(row: SandboxRow, place: Sandbox['place'] | null, clock: Clock): View {
  const { id, taskId, backend, state, name, spec, fingerprint, effective, degraded, directory, ephemeral, generation } =
    row;
  const { lostSince, labels, idleMs: idleTimeoutMs, ttlMs: lifetimeMs } = row;
  const end = expiresAt(row, clock);
  return {
    id,
    taskId,
    backend,
    state,
    name,
    place,
    spec,
    fingerprint,
    effective,
    degraded,
    lostSince,
    directory,
    ephemeral,
    labels,
    idleTimeoutMs,
    lifetimeMs,
    generation,
    createdAt: new Date(row.createdAt).toISOString(),
    usedAt: new Date(row.usedAt).toISOString(),
    expiresAt: end === null ? null : new Date(end).toISOString(),
  };
}
