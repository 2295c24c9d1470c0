/** A row as callers see it. */
import type { Sandbox } from '../backend.ts';
import type { Clock } from '../lib/clock.ts';
import type { SandboxRow } from '../store/store.ts';
import { expiresAt } from './expiry.ts';

export interface View {
  readonly id: string;
  readonly taskId: string;
  readonly backend: string;
  readonly state: SandboxRow['state'];
  readonly name: string;
  /** `null` when the place was not asked, or has nothing. */
  readonly place: Sandbox['place'] | null;
  readonly spec: SandboxRow['spec'];
  readonly fingerprint: string;
  /** What a probe inside measured; `null` when it has not run or could not. */
  readonly effective: SandboxRow['effective'];
  readonly degraded: SandboxRow['degraded'];
  /** The place ended the sandbox, and its files were then those of this moment. RFC 3339, UTC; `null`: nothing was lost. */
  readonly lostSince: string | null;
  readonly directory: string | null;
  readonly ephemeral: boolean;
  readonly labels: SandboxRow['labels'];
  /** Without use, and since its creation. `null`: never. */
  readonly idleTimeoutMs: number | null;
  readonly lifetimeMs: number | null;
  readonly generation: number;
  /** RFC 3339, UTC. */
  readonly createdAt: string;
  readonly usedAt: string;
  readonly expiresAt: string | null;
}

export function viewOf(row: SandboxRow, place: Sandbox['place'] | null, clock: Clock): View {
  const { id, taskId, backend, state, name, spec, fingerprint, effective, degraded, directory, ephemeral, generation } =
    row;
  const { lostSince, labels, idleMs: idleTimeoutMs, ttlMs: lifetimeMs } = row;
  const end = expiresAt(row, clock);
  return {
    ...{
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
    },
    createdAt: new Date(row.createdAt).toISOString(),
    usedAt: new Date(row.usedAt).toISOString(),
    expiresAt: end === null ? null : new Date(end).toISOString(),
  };
}
