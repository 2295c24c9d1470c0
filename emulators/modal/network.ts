/** Which network a request asks for, checked as the service does. */
import type { NetworkAccess } from './messages.ts';
import { Refusal } from './refuse.ts';

/** Nothing is let out by a list here: the emulator keeps it, and gives loopback alone. */
export interface AllowList {
  readonly cidrs: readonly string[];
  readonly domains: readonly string[];
}

export type Network = 'open' | 'blocked' | AllowList;

const types = { open: 1, blocked: 2, allowList: 3 } as const;
const domainForm = /^(?:\*\.)?(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z\d-]+$/i;
const cidrForm = /^[\da-f.:]+\/\d{1,3}$/i;

export function networkOf(access: NetworkAccess | null): Network {
  const { networkAccessType: type = 0, allowedCidrs: cidrs = [], allowedDomains: domains = [] } = access ?? {};
  if (type !== types.allowList && cidrs.length + domains.length > 0)
    throw new Refusal('INVALID_ARGUMENT', 'allow lists are for networks of the type ALLOWLIST');
  if (type === types.open) return 'open';
  if (type === types.blocked) return 'blocked';
  if (type === types.allowList) return checked({ cidrs, domains });
  throw new Refusal('INVALID_ARGUMENT', `there is no network of the type ${type}`);
}

/** Changes the network of a running sandbox: a list can only become another list. */
export function changedNetwork(before: Network, access: NetworkAccess | null): AllowList {
  const next = networkOf(access);
  if (typeof next === 'string') throw new Refusal('INVALID_ARGUMENT', 'only an allow list can be set');
  if (typeof before === 'string')
    throw new Refusal('UNIMPLEMENTED', `the emulator cannot make an allow list of a network that is ${before}`);
  return next;
}

function checked(list: AllowList): AllowList {
  const wrong = list.cidrs.find((text) => !cidrForm.test(text)) ?? list.domains.find((text) => !domainForm.test(text));
  if (wrong === undefined) return list;
  throw new Refusal('INVALID_ARGUMENT', `${wrong.slice(0, 100)} cannot be in an allow list`);
}
