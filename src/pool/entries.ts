/** An entry of the configuration as the plan of its members: what a task gets of which nothing else is said. */
import type { Backend, Guarantees, Hardening, Limits, Spec } from '../backend.ts';
import type { Loaded, PoolEntry } from '../config/types.ts';
import { CaissonError } from '../errors.ts';
import { isFilteredByPlace } from '../egress/way-out.ts';
import { compareSpec, withFilter } from '../plan/compare.ts';
import { resolveSpec } from '../plan/resolve.ts';
import type { Plan, SandboxRequest } from '../plan/types.ts';
import type { Context } from '../sandbox/context.ts';
import { withUsualImage } from '../sandbox/usual-image.ts';
import { memberKey } from './key.ts';
import type { Wanted } from './want.ts';

const mebibyte = 1024 ** 2;
const usualAgeSeconds = 3600;

/** Members of one entry: how they are made, and how many. */
export interface Entry {
  readonly plan: Plan;
  readonly wanted: Wanted;
}

/** Throws as a request would, and `not_supported` for a place that cannot give its sandboxes to a task later. */
export async function entryOf(
  context: Pick<Context, 'backend'>,
  loaded: Loaded,
  [name, entry]: readonly [string, PoolEntry],
): Promise<Entry> {
  const { terminal } = loaded.config;
  const backend = await context.backend(entry.backend ?? terminal.backend);
  const guarantees = await backend.guarantees();
  const request = requestOf(entry, { backend: backend.name, persistent: terminal.container_persistent });
  const resolved = resolveSpec(loaded, request, guarantees, { cwd: null, env: loaded.env });
  const hardened = { ...resolved, spec: { ...resolved.spec, hardening: hardeningOf(entry, resolved.spec.hardening) } };
  const usual = await withUsualImage(hardened, backend, {});
  const settled = { ...usual, spec: withFilter(usual.spec, guarantees) };
  const compared = compareSpec(settled, guarantees);
  refuseUnpooled(name, { ...settled, ...compared }, guarantees);
  const plan = { ...settled, ...compared, ...untasked, ...agesOf(entry), guarantees };
  const key = memberKey(plan);
  return {
    plan: { ...plan, fingerprint: key },
    wanted: { entry: name, key, image: await imageOf(backend, plan.placed.image), ...boundsOf(entry, plan.placed) },
  };
}

/** What a plan has of its caller. The task is set for each member. */
const untasked = {
  taskId: '',
  ephemeral: false,
  recreate: false,
  existing: false,
  labels: {},
  times: {},
  bound: null,
  forwardEnv: [],
  setEnv: {},
  passEnv: [],
  skills: [],
} as const;

function requestOf(
  { image, network, cpu, memory, disk, pids, persistent }: PoolEntry,
  usual: { readonly backend: string; readonly persistent: boolean },
): SandboxRequest {
  const limits: { -readonly [K in keyof Limits]?: Limits[K] } = {};
  if (cpu !== undefined) limits.cpuCores = cpu;
  if (memory !== undefined) limits.memoryBytes = inBytes(memory);
  if (disk !== undefined) limits.diskBytes = inBytes(disk);
  if (pids !== undefined) limits.pids = pids;
  return {
    backend: usual.backend,
    limits,
    persistent: persistent ?? usual.persistent,
    ...(image === undefined ? {} : { image }),
    ...(network === undefined ? {} : { network }),
  };
}

const inBytes = (megabytes: number | null): number | null => (megabytes === null ? null : megabytes * mebibyte);

function hardeningOf(entry: PoolEntry, usual: Hardening): Hardening {
  return {
    readOnlyRoot: entry.read_only ?? usual.readOnlyRoot,
    seccomp: entry.seccomp ?? usual.seccomp,
    runtime: entry.runtime === undefined ? usual.runtime : entry.runtime,
    shmBytes: entry.shm_bytes === undefined ? usual.shmBytes : entry.shm_bytes,
    user: usual.user,
  };
}

function agesOf({ max_age: seconds = usualAgeSeconds }: PoolEntry): Pick<Plan, 'idleMs' | 'ttlMs'> {
  return { idleMs: null, ttlMs: seconds * 1000 };
}

function boundsOf(
  { size, memory_bytes: memoryBytes = null }: PoolEntry,
  { limits }: Spec,
): Pick<Wanted, 'size' | 'memoryBytes' | 'memberBytes'> {
  return { size, memoryBytes, memberBytes: limits.memoryBytes };
}

/** `null`: the place does not tell which image a name means. */
async function imageOf({ images }: Backend, reference: string | null): Promise<string | null> {
  if (images === undefined || reference === null) return null;
  return (await images.list()).find((image) => image.reference === reference)?.id ?? null;
}

function refuseUnpooled(
  name: string,
  { spec, degraded }: Pick<Plan, 'spec' | 'degraded'>,
  guarantees: Guarantees,
): void {
  const { isolation, persistence } = guarantees;
  const isApart = isolation === 'container' || isolation === 'vm';
  if (!isApart || persistence !== 'directory' || isFilteredByPlace({ spec, degraded }))
    throw unpooled(name, `the backend ${spec.backend} cannot make sandboxes that a task takes later`);
  if (spec.network === 'observe') throw unpooled(name, 'the network of a member is open, filtered or none');
}

function unpooled(name: string, why: string): CaissonError {
  return new CaissonError('not_supported', `pool.entries.${name}: ${why}`, {
    remedy: `take pool.entries.${name} out of the configuration, or set its backend and network`,
    details: { entry: name },
  });
}
