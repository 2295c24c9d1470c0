/** Policies of the namespace: which pods they select is a label that a pod has from its creation on. */
import type { OpenOptions } from '../../src/backend.ts';
import { networkSelector } from './records.ts';

export interface Policy {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: unknown;
}

/** Without a list of the service: what must never be reached from a sandbox of somebody else's cluster. */
const metadataService = '169.254.169.254/32';

/** Nothing comes in, nothing goes out. */
export function denyAll(): Policy {
  return policy('caisson-none', {
    podSelector: { matchLabels: networkSelector('none') },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [],
    egress: [],
  });
}

/** Nothing comes in; out goes all but what is refused. */
export function openPolicy(refusals: OpenOptions['refusals']): Policy {
  const { ranges = [], opened = [] } = refusals?.() ?? {};
  const except = ranges.length === 0 ? [metadataService] : [...ranges].toSorted();
  const exceptions = opened.map(({ address, port }) => ({
    to: [{ ipBlock: { cidr: `${address}/32` } }],
    ports: ['TCP', 'UDP'].map((protocol) => ({ protocol, port })),
  }));
  return policy('caisson-open', {
    podSelector: { matchLabels: networkSelector('open') },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [],
    egress: [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except } }] }, ...exceptions],
  });
}

function policy(name: string, spec: unknown): Policy {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, labels: { 'app.kubernetes.io/managed-by': 'caisson' } },
    spec,
  };
}
