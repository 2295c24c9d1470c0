/** What may be connected to, by this host and by sandboxes whose network is filtered. */
import type { UrlChecker } from '../network/types.ts';
import type { EgressLists } from '../store/egress.ts';
import type { Options } from './types.ts';

export type NetworkLists = EgressLists;

/** What a sandbox may reach. What is denied goes before what is allowed, wherever both stand. */
export interface NetworkRules {
  /** Task of the sandbox. */
  readonly taskId: string;
  /** Id of the sandbox. */
  readonly sandboxId: string;
  /** `observe`: every public name that nothing denies. */
  readonly mode: 'filtered' | 'observe';
  /** Grows with each change. */
  readonly revision: number;
  /** What the configuration says for this sandbox. */
  readonly configured: NetworkLists;
  /** Hosts that were allowed for this sandbox beside it, until it is removed. */
  readonly allow: readonly string[];
  /** Hosts that were denied for this sandbox. */
  readonly deny: readonly string[];
  /** Hosts that are allowed until the end of the next command. */
  readonly once: readonly string[];
}

/** Hosts such as `example.com`, `*.example.com` or `example.com:8443`. A host leaves the list in which it was. */
export interface NetworkChange {
  /** Hosts to allow. */
  readonly allow?: readonly string[];
  /** Hosts to deny. */
  readonly deny?: readonly string[];
  /** Taken out of both lists. */
  readonly forget?: readonly string[];
}

/** A connection that has ended, or was denied. What the sandbox said is in it: names are to be shown with care. */
export interface Connection {
  /** RFC 3339, UTC. */
  readonly startedAt: string;
  /** Milliseconds from its start to its end. */
  readonly durationMs: number;
  /** `null`: the request named none that could be read. */
  readonly name: string | null;
  /** TCP port. `null`: the request named none that could be read. */
  readonly port: number | null;
  /** `null`: nothing was dialled. */
  readonly address: string | null;
  /** Whether it was let through. */
  readonly verdict: 'allow' | 'deny';
  /** Rule that decided: `allow example.com`, `preset npm`, `no rule`. */
  readonly rule: string;
  /** One sentence for people. */
  readonly reason: string;
  /** How the name was checked: by the TLS hello, by each request's Host, or not at all: by name and address alone. */
  readonly checked: 'server-name' | 'host-header' | 'address';
  /** Bytes that the sandbox sent. */
  readonly sentBytes: number;
  /** Bytes that the sandbox received. */
  readonly receivedBytes: number;
}

/** Rules that would allow what a sandbox has asked for and no rule of the configuration allows. */
export interface NetworkSuggestion {
  /** Task of the sandbox. */
  readonly taskId: string;
  /** Names that were asked for, each with its port. */
  readonly seen: number;
  /** Presets that would cover some of the names. */
  readonly presets: readonly string[];
  /** Hosts that no preset covers. */
  readonly allow: readonly string[];
}

export interface NetworkApi {
  /** Judges URLs as the configuration has it now. Nothing is looked up and nothing is connected to. */
  checker(): Promise<UrlChecker>;
  /** Throws `not_found`, and `failed_precondition` where the network of the sandbox is not filtered. */
  rules(task: string, options?: Options): Promise<NetworkRules>;
  /**
   * Changes the rules of a sandbox until it is removed; they hold when it resolves, also for open connections. Throws as `rules`
   * does, `invalid_argument` for anything but a host, `permission_denied` inside a command that Caisson runs and for an owner who
   * allows, `failed_precondition` for a host that the configuration denies.
   */
  change(task: string, change: NetworkChange, options?: Options): Promise<NetworkRules>;
  /** Connections on record, oldest first; with `follow`, also those to come, until the signal fires. Throws as `rules` does. */
  log(
    task: string,
    how?: { readonly count?: number; readonly follow?: boolean },
    options?: Options,
  ): AsyncIterable<Connection>;
  /** Throws as `rules` does. */
  suggest(task: string, options?: Options): Promise<NetworkSuggestion>;
}
