/** Egress rules of sandboxes with a filtered network. They are no part of the spec: they change while the sandbox runs. */

/** As `network` has them in the configuration. */
export interface EgressLists {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly ports: readonly number[];
  readonly presets: readonly string[];
}

export interface EgressRow {
  readonly sandboxId: string;
  /** Grows with each change. */
  readonly revision: number;
  /** What the configuration says. */
  readonly configured: EgressLists;
  /** Hosts that were allowed for this sandbox beside it. */
  readonly added: readonly string[];
}

export interface EgressRules {
  /** `null`: there are none, and nothing is allowed. They end with their sandbox. */
  of(sandboxId: string): Promise<EgressRow | null>;
  /** Writes nothing where it is the same. */
  configure(sandboxId: string, configured: EgressLists): Promise<EgressRow>;
}
