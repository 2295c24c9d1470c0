/** On which host of a pool a sandbox is made. A pure decision on the answers of the hosts. */
import { CaissonError } from '../../src/errors.ts';

export interface Candidate<PoolHost> {
  readonly host: PoolHost;
  readonly capacity: number | null;
  readonly drain: boolean;
  readonly sandboxes: number;
  /** Something of this sandbox or of its task is there already. */
  readonly holds: boolean;
}

/**
 * First the host that has something of the task, also while it is drained: the files are there. Else those with room,
 * the emptiest first. Throws `resource_exhausted` when no host has room.
 */
export function order<PoolHost>(candidates: readonly Candidate<PoolHost>[]): readonly PoolHost[] {
  const home = candidates.filter(({ holds }) => holds);
  if (home.length > 0) return home.slice(0, 1).map(({ host }) => host);
  const open = candidates.filter(
    ({ drain, capacity, sandboxes }) => !drain && (capacity === null || sandboxes < capacity),
  );
  if (open.length > 0) return open.toSorted((a, b) => fill(a) - fill(b)).map(({ host }) => host);
  throw hostsFullError();
}

/** Hosts without a capacity are filled as if they had a large one. */
const defaultCapacity = 64;

function fill({ sandboxes, capacity }: Pick<Candidate<unknown>, 'sandboxes' | 'capacity'>): number {
  return sandboxes / (capacity ?? defaultCapacity);
}

export function hostsFullError(): CaissonError {
  return new CaissonError('resource_exhausted', 'no host of terminal.ssh_hosts takes another sandbox', {
    remedy: 'remove sandboxes, raise a capacity, or end the drain of a host',
  });
}
