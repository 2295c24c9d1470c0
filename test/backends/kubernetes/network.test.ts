/** What the policy for open networks lets out. */
import { expect, it } from 'vitest';
import { openPolicy } from '../../../backends/kubernetes/network.ts';

it('sandboxes with an open network may ask the DNS of the cluster, whose addresses are refused otherwise', () => {
  const refusals = () => ({
    ranges: ['10.0.0.0/8', '169.254.169.254/32'],
    opened: [{ address: '10.1.2.3', port: 8080 }],
  });
  const { ingress, egress } = openPolicy(refusals).spec;
  const pods = { namespaceSelector: {}, podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } };
  expect(ingress).toEqual([]);
  expect(egress).toEqual([
    { to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8', '169.254.169.254/32'] } }] },
    { to: [pods], ports: ['TCP', 'UDP'].map((protocol) => ({ protocol, port: 53 })) },
    { to: [{ ipBlock: { cidr: '10.1.2.3/32' } }], ports: ['TCP', 'UDP'].map((protocol) => ({ protocol, port: 8080 })) },
  ]);
});

it('leaves out what another range has, so that addresses of this host that come and go change no policy', () => {
  const exceptOf = (ranges: readonly string[]): unknown => openPolicy(() => ({ ranges, opened: [] })).spec['egress'];
  const ranges = ['10.0.0.0/8', '169.254.0.0/16'];
  expect(exceptOf([...ranges, '10.1.2.3/32', '10.7.0.0/16'])).toEqual(exceptOf(ranges));
  expect(exceptOf([...ranges, '192.0.2.1/32'])).not.toEqual(exceptOf(ranges));
});
