/** What commands could touch, by how a backend keeps them apart. */
import type { Reach } from './types.ts';

/** `Guarantees.isolation` of the contract. */
export type Isolation = 'none' | 'remote-host' | 'container' | 'vm';

const reaches: Readonly<Record<Isolation, Reach>> = {
  none: 'host',
  'remote-host': 'remote-host',
  container: 'container',
  vm: 'container',
};

/** `hostPaths`: directories of the host are bound in, beyond the task's own and read-only credentials. */
export function reachOf(isolation: Isolation, hostPaths = false): Reach {
  const reach = reaches[isolation];
  return reach === 'container' && hostPaths ? 'container-with-host-paths' : reach;
}
