/** Which service works on a state directory, seen from here. */
import { readlinkSync } from 'node:fs';
import { isServiceAlive, readServiceRecord, type ServiceRecord } from '../lib/service-record.ts';
import { isClaimed } from '../store/service-claim.ts';

/**
 * `here`: a process of this host. `elsewhere`: it runs in another container over the same files, where numbers of processes mean
 * something else. `killed`: it left its record behind.
 */
export type ServiceState =
  | { readonly at: 'none' }
  | { readonly at: 'here' | 'elsewhere' | 'killed'; readonly record: ServiceRecord };

/** Only the claim tells of a service in another container: its number here is that of any process, or of none. */
export function stateOfService(home: string): ServiceState {
  const record = readServiceRecord(home);
  if (record === null) return { at: 'none' };
  if (isOther(record)) return { at: isClaimed(home) ? 'elsewhere' : 'killed', record };
  return { at: isServiceAlive(record) ? 'here' : 'killed', record };
}

function isOther({ mountNamespace }: ServiceRecord): boolean {
  if (mountNamespace === null) return false;
  try {
    return readlinkSync('/proc/self/ns/mnt') !== mountNamespace;
  } catch {
    return false;
  }
}
