import type { AddressRules } from '../../../src/network/address/types.ts';

/** Nothing is opened, and this host has no address and no engine. */
export const noRules: AddressRules = {
  opened: [],
  nat64: null,
  own: new Set(),
  engines: [],
  blockedSite: () => null,
};
