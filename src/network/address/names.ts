/** Names that mean this host, its container engine or the services of its cloud, whatever they resolve to. Pure. */

const hosts = new Set(['localhost', 'localhost.localdomain', 'ip6-localhost', 'ip6-loopback', 'broadcasthost']);
const metadata = new Set([
  'metadata',
  'metadata.goog',
  'metadata.google.internal',
  'metadata.azure.internal',
  'metadata.azure.com',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
  'instance-data',
  'instance-data.ec2.internal',
]);
const engines = new Set([
  'host.docker.internal',
  'gateway.docker.internal',
  'kubernetes.docker.internal',
  'vm.docker.internal',
  'host.containers.internal',
  'host.lima.internal',
  'host.orb.internal',
]);

/** `host`: lower case, without a dot at its end. */
export function reasonAgainstName(host: string): string | null {
  // RFC 6761, 6.3: every name below localhost is this host.
  if (hosts.has(host) || host.endsWith('.localhost')) return 'a name for this host';
  if (metadata.has(host) || host.endsWith('.metadata.google.internal')) return 'the metadata service of a cloud';
  return engines.has(host) ? 'a name for the host of a container engine' : null;
}
