/** Findings of `caisson doctor` about network policies. */
import type { Finding } from '../../src/backend.ts';
import type { Proof } from './proof.ts';
import { shortcoming, untried, type Verdict } from './verdict.ts';

/** When a trial showed that policies are applied. `null`: none did. */
export function provedAt({ verdict, triedAtMs }: Proof): string | null {
  return verdict.is === 'proved' && triedAtMs !== null ? new Date(triedAtMs).toISOString() : null;
}

export function unproved({ verdict }: Proof): readonly Finding[] {
  if (verdict.is === 'proved') return [];
  const message = `${shortcoming(verdict)}. Sandboxes may reach services of the cluster and each other`;
  return [{ severity: 'warning', id: 'policy-unproved', message, remedy: remedyOf(verdict) }];
}

function remedyOf(verdict: Verdict): string {
  if (verdict.is === 'open') return 'run a network plugin with policies, such as Calico or Cilium';
  if (verdict === untried.off) return 'set terminal.kubernetes_policy_canary to true';
  if (verdict === untried.rights) return 'apply the Role in docs/kubernetes.md to the account of Caisson';
  return 'mend what the message names, then ask again: `caisson doctor` makes a new trial';
}
