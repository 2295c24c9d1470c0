/** What is wanted against what the place can give. Decided before anything is created. */
import type { Guarantees, LimitName, Spec } from '../backend.ts';
import { CaissonError } from '../errors.ts';
import type { Degradation } from '../store/store.ts';
import { placedMode } from '../values/network-modes.ts';
import { limitNames } from './limits.ts';
import type { PlanDraft } from './types.ts';

export interface ComparedSpec {
  /** What the place is asked for: the wanted spec without what it cannot give. */
  readonly placed: Spec;
  readonly degraded: readonly Degradation[];
}

type Missing = Omit<Degradation, 'asked'>;

/** A control that cannot be given, and the spec that does without it. */
interface Unmet extends Missing {
  readonly without: (spec: Spec) => Spec;
}

/**
 * Throws `not_supported`, naming every control that someone asked for and that cannot be given, unless degrading is
 * allowed. What only comes from the defaults is left out and listed.
 */
export function compareSpec(
  wanted: Pick<PlanDraft, 'spec' | 'asked' | 'allowDegraded' | 'keepsPrivate'>,
  guarantees: Guarantees,
): ComparedSpec {
  const unmet = [
    ...findUnmet(wanted.spec, guarantees),
    ...(wanted.keepsPrivate ? unmetRefusals(wanted.spec, guarantees) : []),
  ];
  const refused = wanted.allowDegraded ? [] : unmet.filter(({ control }) => wanted.asked.has(control));
  if (refused.length > 0) throw notSupportedError(wanted.spec.backend, refused);
  const spec = unmet.reduce((placed, { without }) => without(placed), wanted.spec);
  const placed = { ...spec, network: placedMode(spec.network) };
  const missing = [...unmet.map(listed), ...diskOfWorkspace(spec, guarantees)];
  return { placed, degraded: missing.map((each) => ({ ...each, asked: wanted.asked.has(each.control) })) };
}

function findUnmet(spec: Spec, guarantees: Guarantees): readonly Unmet[] {
  return [
    ...limitNames.flatMap((name) => unmetLimit(spec, guarantees, name)),
    ...unmetPlace(spec, guarantees),
    ...unmetHardening(spec, guarantees),
  ];
}

function unmetLimit(spec: Spec, guarantees: Guarantees, name: LimitName): readonly Unmet[] {
  const wanted = spec.limits[name];
  const enforcement = guarantees.limits[name];
  if (wanted === null || enforcement.enforced) return [];
  const without = (placed: Spec): Spec => ({ ...placed, limits: { ...placed.limits, [name]: null } });
  return [{ control: name, wanted, reason: enforcement.reason, without }];
}

function unmetPlace(spec: Spec, guarantees: Guarantees): readonly Unmet[] {
  const { persistence, ephemeral, isolation } = guarantees;
  const unmet: Unmet[] = [];
  if (spec.image !== null && (isolation === 'none' || isolation === 'remote-host')) {
    unmet.push({
      control: 'image',
      wanted: spec.image,
      reason: 'it runs commands on a host, not in an image',
      without: (placed) => ({ ...placed, image: null }),
    });
  }
  unmet.push(...unmetNetwork(spec, guarantees));
  if (spec.persistent && persistence === 'none') {
    unmet.push({
      control: 'persistent',
      wanted: true,
      reason: 'it keeps no files',
      without: (placed) => ({ ...placed, persistent: false }),
    });
  }
  if (!spec.persistent && !ephemeral) {
    unmet.push({
      control: 'persistent',
      wanted: false,
      reason: 'files that commands write elsewhere than in temporary places stay',
      without: (placed) => placed,
    });
  }
  return [...unmet, ...unmetMounts(spec, guarantees)];
}

function unmetRefusals({ network, hardening }: Spec, { refusals }: Guarantees): readonly Unmet[] {
  if (network !== 'open' || refusals === undefined) return [];
  const miss = (reason: string): readonly Unmet[] => [
    { control: 'open_private', wanted: false, reason, without: (placed) => placed },
  ];
  if (!refusals.enforced) return miss(refusals.reason);
  const holds = hardening.runtime === null || (refusals.runtimes?.includes(hardening.runtime) ?? true);
  return holds ? [] : miss(`the runtime ${hardening.runtime ?? ''} has a network stack of its own`);
}

function unmetNetwork({ network: wanted }: Spec, { network, filter }: Guarantees): readonly Unmet[] {
  const isUnseen = wanted === 'observe' && filter !== undefined;
  if (network.includes(placedMode(wanted)) && !isUnseen) return [];
  // Less is never more open than what was asked for, where the place has such a mode.
  const isFiltered = placedMode(wanted) === 'filtered';
  const given = network.find((mode) => mode === 'none' && isFiltered) ?? network[0] ?? 'open';
  const reason = isUnseen
    ? 'it filters by a list of names and records no connections'
    : `it can only give: ${network.join(', ') || 'what its host has'}`;
  return [{ control: 'network', wanted, reason, without: (placed) => ({ ...placed, network: given }) }];
}

/** The mark of a place that filters by itself, which is in the spec since it says what the sandbox has. */
export function withFilter(spec: Spec, { filter }: Guarantees): Spec {
  const { filteredBy: _mark, ...rest } = spec;
  return filter !== undefined && spec.network === 'filtered' ? { ...rest, filteredBy: 'place' } : rest;
}

function unmetMounts(spec: Spec, { mounts }: Guarantees): readonly Unmet[] {
  const missing = spec.mounts.filter(({ readOnly }) => mounts === 'none' || (mounts === 'read-only' && !readOnly));
  const reason = mounts === 'none' ? 'it binds no host paths' : 'it binds host paths read-only';
  const without = (placed: Spec): Spec => ({
    ...placed,
    mounts: placed.mounts.filter((mount) => !missing.includes(mount)),
  });
  return missing.map(({ target }) => ({ control: 'mounts', wanted: target, reason, without }));
}

function unmetHardening({ hardening }: Spec, { hardening: given }: Guarantees): readonly Unmet[] {
  const unmet: Unmet[] = [];
  const miss = (
    control: string,
    wanted: Unmet['wanted'],
    { reason, instead }: { readonly reason: string; readonly instead: Partial<Spec['hardening']> },
  ): void => {
    unmet.push({
      control,
      wanted,
      reason,
      without: (placed) => ({ ...placed, hardening: { ...placed.hardening, ...instead } }),
    });
  };
  const { runtime, shmBytes } = hardening;
  if (hardening.readOnlyRoot && !given.readOnlyRoot)
    miss('readOnlyRoot', true, { reason: 'it cannot make the root read-only', instead: { readOnlyRoot: false } });
  if (hardening.seccomp === 'builtin' && !given.seccomp)
    miss('seccomp', 'builtin', { reason: 'it takes no profile of Caisson', instead: { seccomp: 'engine' } });
  if (runtime !== null && !given.runtimes.includes(runtime))
    miss('runtime', runtime, {
      reason: `it knows: ${given.runtimes.join(', ') || 'no runtimes'}`,
      instead: { runtime: null },
    });
  if (shmBytes !== null && !given.shm)
    miss('shmBytes', shmBytes, { reason: 'the size of /dev/shm is fixed', instead: { shmBytes: null } });
  if (hardening.user === 'host' && !given.hostUser)
    miss('user', 'host', { reason: 'it cannot run commands as the host user', instead: { user: 'root' } });
  return unmet;
}

/** The limit holds for part of the files, so that this is a degradation and not a refusal. */
function diskOfWorkspace(spec: Spec, { persistence, persistentDisk, limits }: Guarantees): readonly Missing[] {
  const { diskBytes } = spec.limits;
  if (diskBytes === null || !limits.diskBytes.enforced || !spec.persistent || persistence !== 'directory') return [];
  if (persistentDisk === true) return [];
  return [
    {
      control: 'diskBytes',
      wanted: diskBytes,
      reason: `it holds for the root file system (${limits.diskBytes.by}), not for the persistent directories, which lie on a disk of the host`,
    },
  ];
}

function listed({ control, wanted, reason }: Unmet): Missing {
  return { control, wanted, reason };
}

function notSupportedError(backend: string, refused: readonly Unmet[]): CaissonError {
  const reasons = refused.map(({ control, wanted, reason }) => `${control} = ${String(wanted)} (${reason})`);
  return new CaissonError('not_supported', `backend ${backend} cannot give what was asked for: ${reasons.join('; ')}`, {
    details: { backend, unmet: refused.map(listed) },
    remedy: `drop ${refused.map(({ control }) => control).join(', ')} from the request or the configuration, or allow it to be missing: --allow-degraded, or terminal.allow_degraded: true`,
  });
}
