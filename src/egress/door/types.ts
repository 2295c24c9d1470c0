/** What the egress rules say of a connection, and what is on record of it. Types only. */

/** Rules for outgoing connections, in the form that the configuration has. */
export interface EgressRules {
  /** Hosts that may be reached: `example.com` is that name alone, `*.example.com` what is below it, `*` every public name. */
  readonly allow: readonly string[];
  /** Hosts that may not be reached, whatever `allow` and presets say. `example.com` is that name and everything below it. */
  readonly deny: readonly string[];
  /** Ports of allowed hosts, beside 80 and 443. */
  readonly ports: readonly number[];
  /** Names of lists of hosts that come with Caisson. */
  readonly presets: readonly string[];
}

export interface Target {
  /** Host in the form that `bareHost` yields. */
  readonly name: string;
  readonly port: number;
}

export interface Decision {
  readonly verdict: 'allow' | 'deny';
  /** What decided: `allow example.com`, `deny *.example.com`, `preset NAME`, `no rule`, `ports`, `address`, ... */
  readonly rule: string;
  /** For people. */
  readonly reason: string;
}

/** One connection of a sandbox, or one plain request; written when it ends. */
export interface ConnectionRecord extends Decision {
  readonly task: string;
  /** `null`: what was asked for could not be read. */
  readonly name: string | null;
  readonly port: number | null;
  /**
   * What was compared with the name, beside its addresses: the name in TLS, the Host header of each request, or nothing, as on
   * ports that are listed.
   */
  readonly checked: 'server-name' | 'host-header' | 'address';
  /** Address to which the connection was made. `null`: none was made. */
  readonly address: string | null;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly startedAt: number;
  readonly durationMs: number;
}
