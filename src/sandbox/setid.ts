/**
 * The setuid and setgid bits in a directory of this host that other users reach. Decided at each creation, since the modes of the
 * directories above are no part of the spec.
 */
import type { Guarantees, Spec } from '../backend.ts';
import { isReachedByOthers } from '../plan/reached.ts';
import type { Degradation } from '../store/store.ts';

export interface Setid {
  readonly refuseSetid?: true;
  readonly degraded: readonly Degradation[];
}

export function setidOf(spec: Spec, { hardening: { setid } }: Guarantees): Setid {
  const reached = spec.mounts.filter(isReachedByOthers);
  const [first] = reached;
  if (first === undefined) return { degraded: [] };
  const { runtime, seccomp } = spec.hardening;
  const holds = setid?.refused === true && (runtime === null || setid.runtimes.includes(runtime));
  if (seccomp === 'builtin' && holds) return { refuseSetid: true, degraded: [] };
  const reason = `other users of this host can run what is made in ${first.source} as its owner: close a directory above it (chmod go-x)`;
  return { degraded: [{ control: 'setid', wanted: 'refused', reason, asked: false }] };
}
