/** What address verdicts follow from. Types only. */
import type { Destination } from '../../values/destination.ts';
import type { Nat64Prefix } from '../../values/nat64.ts';

/** Address and port at which a container engine listens. `null`: it has a name, so that its port counts at every address. */
export interface EngineAddress {
  readonly address: string | null;
  readonly port: number;
}

export interface AddressRules {
  /** `network.allow_private`. */
  readonly opened: readonly Destination[];
  /** `network.nat64_prefix`. */
  readonly nat64: Nat64Prefix | null;
  /** The addresses of this host, as `Ip.toString` has them. */
  readonly own: ReadonlySet<string>;
  readonly engines: readonly EngineAddress[];
  /** Why the website policy blocks a host, given as the URL parser has it. */
  readonly blockedSite: (host: string) => string | null;
}
