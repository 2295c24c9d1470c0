/** What a sandbox with a filtered network may connect to, by the allow lists of the service. */
import type { ModalAccount } from './account.ts';
import { codeOf } from './fault.ts';

/** A range of addresses would be opened at every port and protocol: the list of them is empty. Absent, it would open all. */
export function allowList(hosts: readonly string[]): {
  readonly outboundCidrAllowlist: string[];
  readonly outboundDomainAllowlist: string[];
} {
  return { outboundCidrAllowlist: [], outboundDomainAllowlist: [...hosts] };
}

/** The service ends connections that the new list does not have. */
export async function limitTo(account: ModalAccount, id: string, hosts: readonly string[]): Promise<void> {
  try {
    await change(account, id, hosts);
  } catch (error) {
    if (codeOf(error) !== 'unauthenticated') throw error;
    // The account has another token by now, and no handle with the old one.
    await change(account, id, hosts);
  }
}

async function change(account: ModalAccount, id: string, hosts: readonly string[]): Promise<void> {
  const handle = await account.handle(id);
  await account.call('change what the sandbox may reach', () => handle.updateNetworkPolicy(allowList(hosts)));
}
