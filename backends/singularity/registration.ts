/** The content of one registration file, and the strict reading of it. */
import type { Labels, Limits, Mount, NetworkMode } from '../../src/backend.ts';
import { isRecord, labelsFrom, parseJson } from '../shared/labels.ts';
import type { Owner } from '../shared/pipes.ts';

/** What a sandbox is started from, the first time and after each stop. */
export interface Plan {
  /** Directory of the unpacked image, and its content address. */
  readonly root: string;
  readonly digest: string | null;
  readonly limits: Limits;
  readonly network: NetworkMode;
  readonly mounts: readonly Mount[];
  /** Mount of the credential files, read-only. `null`: core writes them in, or the sandbox has no credentials. */
  readonly credentials: Mount | null;
  readonly readOnlyRoot: boolean;
  /** Directory of its door. `null`: it has none. */
  readonly door: string | null;
  /** Whether our filter of system calls applies. */
  readonly seccomp: boolean;
  /** Whether it refuses to give files the setuid and setgid bits. */
  readonly refuseSetid: boolean;
  /** Directory that keeps what the sandbox writes. `null`: it is lost at the end. */
  readonly keep: string | null;
}

export interface Registration {
  readonly v: 1;
  readonly name: string;
  readonly labels: Labels;
  readonly state: 'running' | 'stopped';
  /** Directory of this sandbox alone, on scratch; removed with it. */
  readonly directory: string;
  /** Whom root runs its containers as. `null`: an ordinary user, who is that itself, or an earlier version made it. */
  readonly account: Owner | null;
  readonly plan: Plan;
}

/** `null` for a text that we did not write. */
export function parseRegistration(text: string): Registration | null {
  const value = parseJson(text);
  if (!isRecord(value) || value['v'] !== 1) return null;
  const { name, state, directory } = value;
  const labels = labelsFrom(value['labels']);
  const plan = planFrom(value['plan']);
  if (typeof name !== 'string' || typeof directory !== 'string' || !directory.startsWith('/')) return null;
  if (labels === null || plan === null || (state !== 'running' && state !== 'stopped')) return null;
  // Those of earlier versions name no account.
  const account = ownerFrom(value['account'] ?? null);
  return account === undefined ? null : { v: 1, name, labels, state, directory, account, plan };
}

/** `undefined` for what is neither an account nor `null`. */
function ownerFrom(value: unknown): Owner | null | undefined {
  if (!isRecord(value)) return value === null ? null : undefined;
  const { uid, gid } = value;
  return isAccountId(uid) && isAccountId(gid) ? { uid, gid } : undefined;
}

/** Never of root. */
function isAccountId(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function planFrom(value: unknown): Plan | null {
  if (!isRecord(value)) return null;
  const { root, digest, network, readOnlyRoot, seccomp, keep } = value;
  const limits = limitsFrom(value['limits']);
  const mounts = Array.isArray(value['mounts']) ? value['mounts'].map(mountFrom) : [null];
  if (typeof root !== 'string' || !isTextOrNull(digest) || !isTextOrNull(keep) || limits === null) return null;
  // Those of earlier versions have no door.
  const door = value['door'] ?? null;
  if (!isTextOrNull(door) || (network === 'filtered') !== (door !== null)) return null;
  if ((network !== 'open' && network !== 'none' && network !== 'filtered') || typeof readOnlyRoot !== 'boolean')
    return null;
  if (typeof seccomp !== 'boolean') return null;
  if (!mounts.every((mount) => mount !== null)) return null;
  const credentials = mountFrom(value['credentials']);
  if (credentials === null && value['credentials'] !== null) return null;
  // Those of earlier versions have no such mark.
  const refuseSetid = value['refuseSetid'] === true;
  return { root, digest, limits, network, mounts, credentials, door, readOnlyRoot, seccomp, refuseSetid, keep };
}

function limitsFrom(value: unknown): Limits | null {
  if (!isRecord(value)) return null;
  const { cpuCores, memoryBytes, diskBytes, pids } = value;
  return isNumberOrNull(cpuCores) && isNumberOrNull(memoryBytes) && isNumberOrNull(diskBytes) && isNumberOrNull(pids)
    ? { cpuCores, memoryBytes, diskBytes, pids }
    : null;
}

function mountFrom(value: unknown): Mount | null {
  if (!isRecord(value)) return null;
  const { source, target, readOnly } = value;
  return typeof source === 'string' && typeof target === 'string' && typeof readOnly === 'boolean'
    ? { source, target, readOnly }
    : null;
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function isNumberOrNull(value: unknown): value is number | null {
  return value === null || typeof value === 'number';
}
