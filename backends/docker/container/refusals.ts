/**
 * Keeps a container with an open network from addresses, by rules in its own network namespace (iptables-restore(8)): nothing changes
 * on the host, and no route leads around them, as one would for a program that binds to an interface. They go with the namespace.
 */
import type { Enforcement, Refusals } from '../../../src/backend.ts';
import { CaissonError } from '../../../src/errors.ts';
import { inspectContainer } from './container.ts';
import type { Engine } from '../engine/engine.ts';
import type { Restore } from './restore.ts';

/** A range or an address of IPv4, and nothing that the rules could be led astray by. */
const isRange = (text: string): boolean => /^\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?$/.test(text);

/** Pure. Loopback is the container's own, and its resolver is there. What is opened comes first. */
export function rulesFor({ ranges, opened }: Refusals, gateways: readonly string[]): string {
  const open = opened.filter(({ address }) => isRange(address));
  const accepted = open.flatMap(({ address, port }) =>
    ['tcp', 'udp'].map((protocol) => `-A OUTPUT -d ${address} -p ${protocol} --dport ${port} -j ACCEPT`),
  );
  // A message of ICMP is lost on a socket that is just connecting, which would try again after a second.
  const refused = [...ranges, ...gateways]
    .filter(isRange)
    .flatMap((range) => [
      `-A OUTPUT -d ${range} -p tcp -j REJECT --reject-with tcp-reset`,
      `-A OUTPUT -d ${range} -j REJECT --reject-with icmp-admin-prohibited`,
    ]);
  return [
    '*filter',
    ...['INPUT', 'FORWARD', 'OUTPUT'].map((chain) => `:${chain} ACCEPT [0:0]`),
    '-A OUTPUT -o lo -j ACCEPT',
    ...accepted,
    ...refused,
    'COMMIT',
    '',
  ].join('\n');
}

/** Tried in a namespace of its own: the kernel may lack what the rules need. */
export async function canRefuse(restore: Restore): Promise<Enforcement> {
  const rules = rulesFor({ ranges: ['10.0.0.0/8'], opened: [{ address: '10.0.0.1', port: 53 }] }, []);
  const failure = await restore(rules, null);
  return failure === null
    ? { enforced: true, by: 'iptables in its own network namespace' }
    : { enforced: false, reason: `rules of iptables cannot be set here: ${failure}` };
}

/** Rules that a container with an open network gets. */
export interface Refusing {
  readonly refusals: () => Refusals;
  readonly restore: Restore;
  readonly onFailure?: () => void;
}

/** In force when this resolves, in place of those of before. Throws `unavailable`; the caller ends the container then. */
export async function refuse(
  engine: Engine,
  container: string,
  { refusals, restore, onFailure }: Refusing,
): Promise<void> {
  const found = await inspectContainer(engine, container);
  const failure = found.pid === null ? 'it does not run' : await restore(rulesFor(refusals(), found.gateways), found);
  if (failure === null) return;
  onFailure?.();
  throw new CaissonError('unavailable', `the sandbox cannot be kept from private networks: ${failure}`, {
    details: { container: found.id },
    remedy: 'see whether iptables works on this host, or ask for --network none',
  });
}
