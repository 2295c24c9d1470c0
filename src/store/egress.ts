/** Egress rules of sandboxes with a filtered network. They are no part of the spec: they change while the sandbox runs. */
import { isDeepStrictEqual } from 'node:util';

/** As `network` has them in the configuration. */
export interface EgressLists {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly ports: readonly number[];
  readonly presets: readonly string[];
}

/** The lists of a configuration that a process has read. */
export interface EgressReading {
  readonly lists: EgressLists;
  /** Of the text that was read: two readings of the same text have the same one. */
  readonly source: string;
}

export interface EgressRow {
  readonly sandboxId: string;
  /** Grows with each change of what is allowed. */
  readonly revision: number;
  /** What the configuration says. */
  readonly configured: EgressLists;
  /** Of the reading that `configured` is from. */
  readonly source: string;
  /** Hosts that were allowed for this sandbox beside it. */
  readonly added: readonly string[];
}

export interface EgressRules {
  /** `null`: there are none, and nothing is allowed. They end with their sandbox. */
  of(sandboxId: string): Promise<EgressRow | null>;
  /**
   * Writes nothing where it is the same. `isCurrent` says whether the source is that of the file of now. It is called inside of the
   * transaction, so that of two processes the one with the older reading never has the last word.
   */
  configure(
    sandboxId: string,
    reading: EgressReading,
    isCurrent: () => boolean,
  ): Promise<{ readonly row: EgressRow; readonly before: EgressRow | null }>;
}

/** The lists that hold after a process came with its reading. Pure. */
export function settledReading(before: EgressRow | null, reading: EgressReading, isCurrent: boolean): EgressReading {
  if (before === null) return reading;
  const kept = { lists: before.configured, source: before.source };
  if (!isCurrent) return kept;
  if (before.source !== reading.source || isDeepStrictEqual(before.configured, reading.lists)) return reading;
  return { source: reading.source, lists: strictest(before.configured, reading.lists) };
}

/** Two processes read the same text, and one of them has other lists, as by flags. */
function strictest(one: EgressLists, other: EgressLists): EgressLists {
  return {
    allow: one.allow.filter((host) => other.allow.includes(host)),
    deny: [...new Set([...one.deny, ...other.deny])],
    ports: one.ports.filter((port) => other.ports.includes(port)),
    presets: one.presets.filter((name) => other.presets.includes(name)),
  };
}
