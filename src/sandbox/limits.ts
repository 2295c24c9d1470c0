/** The limits of one sandbox, for those who work in it: what holds, how that is known, and what is left when it ends. Pure. */
import type { Guarantees, LimitName } from '../backend.ts';
import type { Inspected, SandboxLimit, SandboxLimits } from './types.ts';

interface LimitContext {
  readonly guarantees: Guarantees;
  readonly commandTimeoutMs: number | null;
}

const names: readonly LimitName[] = ['cpuCores', 'memoryBytes', 'diskBytes', 'pids'];

export function limitsOf(inspected: Inspected, { guarantees, commandTimeoutMs }: LimitContext): SandboxLimits {
  const { taskId, id: sandboxId, backend, spec, idleTimeoutMs, lifetimeMs, endsBy } = inspected;
  return {
    taskId,
    sandboxId,
    backend,
    isolation: guarantees.isolation,
    limits: names.map((name) => limitOf(name, inspected, guarantees)),
    network: networkOf(inspected),
    readOnly: readOnlyIn(inspected),
    cwd: spec.cwd,
    idleTimeoutMs,
    lifetimeMs,
    commandTimeoutMs,
    endsBy,
    kept: keptOf(inspected, guarantees),
  };
}

function limitOf(name: LimitName, { spec, effective, degraded }: Inspected, guarantees: Guarantees): SandboxLimit {
  const wanted = spec.limits[name];
  const measured = numberIn(fieldIn(effective, 'limits'), name);
  if (measured !== null) return { name, wanted, effective: measured, standing: 'measured', why: null };
  if (wanted === null) return { name, wanted, effective: null, standing: 'unlimited', why: null };
  const missing = degraded.find(({ control }) => control === name);
  if (missing !== undefined) return { name, wanted, effective: null, standing: 'not-enforced', why: missing.reason };
  const held = guarantees.limits[name];
  return held.enforced
    ? { name, wanted, effective: wanted, standing: 'enforced', why: held.by }
    : { name, wanted, effective: null, standing: 'not-enforced', why: held.reason };
}

const byPlace = 'by a list of the place, without a proxy';

function networkOf({ spec, effective, degraded }: Inspected): SandboxLimits['network'] {
  const { network: mode, filteredBy } = spec;
  const missing = degraded.find(({ control }) => control === 'network');
  if (missing !== undefined) return { mode: 'open', standing: 'not-enforced', why: missing.reason };
  if (filteredBy !== undefined) return { mode, standing: 'enforced', why: byPlace };
  const isMeasured = fieldIn(effective, 'routed') === (mode === 'open');
  return { mode, standing: isMeasured ? 'measured' : 'enforced', why: null };
}

function readOnlyIn({ spec, effective, degraded }: Inspected): readonly string[] {
  const isMissing = degraded.some(({ control }) => control === 'readOnlyRoot');
  const measured = fieldIn(effective, 'readOnlyRoot');
  const root = measured === true || (measured !== false && spec.hardening.readOnlyRoot && !isMissing);
  const mounts = spec.mounts.filter(({ readOnly }) => readOnly).map(({ target }) => target);
  return [...(root ? ['/'] : []), ...mounts];
}

function keptOf({ spec, ephemeral, degraded }: Inspected, guarantees: Guarantees): SandboxLimits['kept'] {
  const { persistence, isolation } = guarantees;
  // On a host the files are those of the host.
  if (isolation === 'none') return 'all';
  const isMissing = degraded.some(({ control }) => control === 'persistent');
  if (ephemeral || !spec.persistent || isMissing || persistence === 'none') return 'nothing';
  return persistence === 'directory' ? 'directories' : 'all';
}

/** What was stored of a measurement is plain JSON. */
function fieldIn(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function numberIn(value: unknown, name: string): number | null {
  const found = fieldIn(value, name);
  return typeof found === 'number' ? found : null;
}
