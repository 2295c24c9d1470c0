/** Policies of the namespace: which pods they select is a label that a pod has from its creation on. */
import type { OpenOptions } from '../../src/backend.ts';
import { BlockList, isIPv4 } from 'node:net';
import { networkSelector } from './records.ts';

export interface Policy {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Without a list of the service: what must never be reached from a sandbox of somebody else's cluster. */
const metadataService = '169.254.169.254/32';

export function policiesOf(refusals: OpenOptions['refusals']): readonly Policy[] {
  return [denyAll(), openPolicy(refusals)];
}

/** Nothing comes in, nothing goes out. */
function denyAll(): Policy {
  return policy('caisson-none', {
    podSelector: { matchLabels: networkSelector('none') },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [],
    egress: [],
  });
}

const openName = 'caisson-open';
const dnsPort = 53;

/** Nothing comes in; out goes all but what is refused. */
export function openPolicy(refusals: OpenOptions['refusals']): Policy {
  const except = exceptOf(refusals);
  const { opened = [] } = refusals?.() ?? {};
  const exceptions = opened.map(({ address, port }) => ({
    to: [{ ipBlock: { cidr: `${address}/32` } }],
    ports: portsOf(port),
  }));
  return policy(openName, {
    podSelector: { matchLabels: networkSelector('open') },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [],
    egress: [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except } }] }, clusterDns, ...exceptions],
  });
}

/** Whether the policy for open networks refuses connections to the address: it names no address of IPv6. */
export function isRefused(refusals: OpenOptions['refusals'], address: string): boolean {
  if (!isIPv4(address)) return true;
  const isOpened = refusals?.().opened.some((each) => each.address === address) === true;
  return !isOpened && exceptOf(refusals).some((range) => holds(range, address));
}

/** A range within another one is left out: addresses of this host come and go, most of them in private networks. */
function exceptOf(refusals: OpenOptions['refusals']): readonly string[] {
  const { ranges = [] } = refusals?.() ?? {};
  const isInside = (range: string): boolean =>
    ranges.some((other) => bitsOf(other) < bitsOf(range) && holds(other, networkOf(range)));
  return ranges.length === 0 ? [metadataService] : ranges.filter((range) => !isInside(range)).toSorted();
}

const networkOf = (range: string): string => range.replace(/\/.*$/, '');
const bitsOf = (range: string): number => Number(range.replace(/^.*\//, ''));

function holds(range: string, address: string): boolean {
  const list = new BlockList();
  list.addSubnet(networkOf(range), bitsOf(range));
  return list.check(address);
}

function portsOf(port: number) {
  return ['TCP', 'UDP'].map((protocol) => ({ protocol, port }));
}

/** Names are asked of pods of the cluster, whose addresses are private. They have this label wherever kubeadm or a cloud installs them. */
const clusterDns = {
  to: [{ namespaceSelector: {}, podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } }],
  ports: portsOf(dnsPort),
};

function policy(name: string, spec: Policy['spec']): Policy {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, labels: { 'app.kubernetes.io/managed-by': 'caisson' } },
    spec,
  };
}
