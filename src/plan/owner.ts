/** What holds for sandboxes of other owners than the operator. Pure. */
import type { Guarantees, Limits, Spec } from '../backend.ts';
import type { Allowed } from '../config/owners.ts';
import { widestMode, withinWidest } from '../config/network.ts';
import { CaissonError } from '../errors.ts';
import type { Bounds } from '../values/caller.ts';
import { networkModes } from '../values/network-modes.ts';
import type { Settled } from './resolve.ts';
import type { SandboxRequest } from './types.ts';

interface Owned {
  readonly apart?: Guarantees['apart'];
  readonly allowed: Allowed;
}

const mebibyte = 1024 ** 2;

/** What the bounds of a token leave of it. `null`: anything. Throws `permission_denied` where they leave nothing. */
export function withinBounds(allowed: Allowed | null, bounds: Bounds | undefined): Allowed | null {
  const { images = null, backends = null } = bounds ?? {};
  if (images === null && backends === null) return allowed;
  return {
    ...allowed,
    ...both('images', allowed?.images, images),
    ...both('backends', allowed?.backends, backends),
  };
}

function both(
  name: 'images' | 'backends',
  one: readonly string[] | undefined,
  other: readonly string[] | null,
): Partial<Record<typeof name, string[]>> {
  if (other === null) return {};
  const left = one === undefined ? [...other] : one.filter((each) => other.includes(each));
  if (left.length > 0) return { [name]: left };
  throw new CaissonError('permission_denied', `the token is bound to ${name} that its owner may not have`, {
    details: { [name]: other.slice(0, 20) },
  });
}

/** On which backend. `usual`: where neither the request nor the owner's part of the configuration says. */
export function ownedBackend({ backend }: SandboxRequest, usual: string, { backends }: Allowed): string {
  if (backend === undefined) return backends === undefined || backends.includes(usual) ? usual : (backends[0] ?? usual);
  if (backends !== undefined && !backends.includes(backend)) throw ownerDeniedError('backend', backend, backends);
  return backend;
}

/**
 * Takes away what the configuration passes on of this host: variables, credential files, skills, mounts and the user of the
 * host are the operator's; an owner has the credential files of its own part. Throws `permission_denied` for a backend that does not keep owners apart, unless the configuration
 * names it for this owner.
 */
export function ownedSettings(settled: Settled, { apart, allowed }: Owned): Settled {
  const { backend } = settled.spec;
  if (apart !== true && allowed.backends?.includes(backend) !== true)
    throw new CaissonError(
      'permission_denied',
      `the backend ${backend} does not keep owners apart: only the operator has sandboxes there`,
      { remedy: 'name another backend in the request', details: { backend } },
    );
  return {
    ...settled,
    spec: withoutHost(settled.spec),
    configured: withoutHost(settled.configured),
    forwardEnv: [],
    setEnv: {},
    passEnv: [],
    skills: [],
    credentials: { ...settled.credentials, configured: Object.keys(allowed.secrets?.files ?? {}), bySkills: [] },
  };
}

const withoutHost = (spec: Spec): Spec => ({ ...spec, mounts: [], hardening: { ...spec.hardening, user: 'root' } });

/** Caps a new sandbox's settings to what its owner may have. Throws `permission_denied` for more that was asked for by name. */
export function cappedSettings(settled: Settled, allowed: Allowed): Settled {
  const { spec, said } = settled;
  const { image } = spec;
  const { images } = allowed;
  const network = withinWidest(spec.network, allowed);
  if (said.has('network') && network !== spec.network)
    throw ownerDeniedError('network', spec.network, networkModes.slice(networkModes.indexOf(network)));
  const isAllowed = images === undefined || (image !== null && images.includes(image));
  if (!isAllowed && said.has('image')) throw ownerDeniedError('image', image ?? '', images);
  return {
    ...settled,
    asked: new Set([...settled.asked, ...bounded(allowed)]),
    spec: {
      ...spec,
      image: isAllowed ? image : (images[0] ?? image),
      network,
      limits: cappedLimits(settled, allowed),
    },
  };
}

/** A bound that the place cannot hold is as wrong as a demand that it cannot fulfil. */
function bounded(allowed: Allowed): readonly string[] {
  const widest = widestMode(allowed);
  const { cpu, memory, disk } = maxOfOne(allowed);
  const bounds = {
    network: widest === 'open' ? undefined : widest,
    cpuCores: cpu,
    memoryBytes: memory,
    diskBytes: disk,
  };
  return Object.entries(bounds).flatMap(([name, bound]) => (bound === undefined ? [] : [name]));
}

function cappedLimits({ spec: { limits }, said }: Settled, allowed: Allowed): Limits {
  const { cpu, memory, disk } = maxOfOne(allowed);
  const within = (name: keyof Limits, cap: number | undefined, value: number | null): number | null => {
    if (cap === undefined || (value !== null && value <= cap)) return value;
    if (!said.has(name)) return cap;
    throw new CaissonError('permission_denied', `the limit ${name} is ${cap} at most`, {
      details: { limit: name, cap },
    });
  };
  return {
    ...limits,
    cpuCores: within('cpuCores', cpu, limits.cpuCores),
    memoryBytes: within('memoryBytes', bytes(memory), limits.memoryBytes),
    diskBytes: within('diskBytes', bytes(disk), limits.diskBytes),
  };
}

/** One sandbox has no more than all of them together. */
function maxOfOne(allowed: Allowed): Pick<Allowed, 'cpu' | 'memory' | 'disk'> {
  return {
    cpu: least(allowed.cpu, allowed.total_cpu),
    memory: least(allowed.memory, allowed.total_memory),
    disk: least(allowed.disk, allowed.total_disk),
  };
}

const least = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);

const bytes = (megabytes: number | undefined): number | undefined =>
  megabytes === undefined ? undefined : megabytes * mebibyte;

function ownerDeniedError(what: string, asked: string, allowed: readonly string[]): CaissonError {
  return new CaissonError('permission_denied', `the ${what} ${JSON.stringify(asked.slice(0, 128))} is not allowed`, {
    remedy: `choose one of ${allowed.slice(0, 20).join(', ')}`,
    details: { [what]: asked.slice(0, 128) },
  });
}
