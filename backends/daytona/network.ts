/** The network of a sandbox in the words of the service, which keeps rules around it and shows them. */
import type { NetworkMode } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import type { Account } from './account.ts';
import type { Handle } from './sdk.ts';
import { present, type Settling } from './settle.ts';

export interface NetworkSettings {
  readonly networkBlockAll: boolean;
  /** Ranges of addresses. Empty, and not absent: then none can be connected to by its number. */
  readonly networkAllowList?: '';
  readonly domainAllowList?: string;
}

/** `hosts`: see `CreateOptions.egress`. Without a name the block stands for the list: what an empty one means is not documented. */
export function networkOf(mode: NetworkMode, hosts: readonly string[]): NetworkSettings {
  if (mode === 'open') return { networkBlockAll: false };
  if (mode !== 'filtered' || hosts.length === 0) return { networkBlockAll: true };
  return { networkBlockAll: false, networkAllowList: '', domainAllowList: hosts.join(',') };
}

type Shown = Pick<Handle, 'networkBlockAll' | 'networkAllowList' | 'domainAllowList'>;

/** Whether the service has set just this. */
export function isAs(shown: Shown, wanted: NetworkSettings): boolean {
  if (shown.networkBlockAll !== wanted.networkBlockAll) return false;
  if (wanted.domainAllowList === undefined) return true;
  return namesIn(shown.domainAllowList) === namesIn(wanted.domainAllowList) && namesIn(shown.networkAllowList) === '';
}

function namesIn(list: string | undefined): string {
  const names = (list ?? '').split(',').map((name) => name.trim().toLowerCase());
  return [...new Set(names)].filter(Boolean).toSorted().join();
}

/** Limits a running sandbox with a filtered network. When the service sets other than what was asked for, all traffic is blocked. */
export async function limitTo(
  account: Account,
  id: string,
  hosts: readonly string[],
  settling: Settling = {},
): Promise<Handle> {
  const handle = await present(account, id, settling);
  if (handle.state !== 'started') throw notStartedError(handle);
  const wanted = networkOf('filtered', hosts);
  if (isAs(handle, wanted)) return handle;
  await set(account, handle, wanted);
  if (isAs(handle, wanted)) return handle;
  await set(account, handle, { networkBlockAll: true });
  throw networkMismatchError('filtered');
}

async function set(account: Account, handle: Handle, wanted: NetworkSettings): Promise<void> {
  const asking = { doing: 'change the network of the sandbox', idempotent: true };
  await account.ask(() => handle.updateNetworkSettings(wanted), asking);
}

export function networkMismatchError(network: NetworkMode): CaissonError {
  return new CaissonError('not_supported', `Daytona did not give the network that was asked for (${network})`, {
    details: { network },
    remedy: 'the tier of the organization overrides it: ask for what it allows, or change the tier',
  });
}

export function notStartedError({ id, state }: Pick<Handle, 'id' | 'state'>): CaissonError {
  return new CaissonError('failed_precondition', `the Daytona sandbox is ${state ?? 'in no known state'}`, {
    details: { resource: id, state: state ?? null },
    remedy: 'start it first',
  });
}
