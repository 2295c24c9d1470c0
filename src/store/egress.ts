/** Egress rules of sandboxes with a filtered network. They are no part of the spec: they change while the sandbox runs. */
import { isDeepStrictEqual } from 'node:util';
import { CaissonError } from '../errors.ts';

/** Lists that have the names and forms of the section `network` of the configuration. */
export interface EgressLists {
  /** Hosts that are allowed. */
  readonly allow: readonly string[];
  /** Hosts that are denied; they go before those allowed. */
  readonly deny: readonly string[];
  /** Ports of allowed hosts that name none. */
  readonly ports: readonly number[];
  /** Names of presets, each a list of hosts. */
  readonly presets: readonly string[];
}

/** The lists of a configuration that a process has read. */
export interface EgressReading {
  readonly lists: EgressLists;
  /** Mark of the text that was read: two readings of the same text have the same one. */
  readonly source: string;
  /** What edits of that text deny since then, and a mark of all that they forbid. `null`: nothing. */
  readonly later: { readonly deny: readonly string[]; readonly mark: string } | null;
}

/** Mark of a reading: that of its text, and of the edits that hold beside the text. */
export const sourceWith = ({ source, later }: Pick<EgressReading, 'source' | 'later'>): string =>
  later === null ? source : `${source}+${later.mark}`;

/** Whether a configuration with this source was read from that text. */
export const isReadFrom = (source: string, text: string): boolean => source === text || source.startsWith(`${text}+`);

/** What was said of one sandbox while it was there, beside the configuration. */
export interface OwnRules {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Hosts that are allowed until the end of the next command that starts after `at`, milliseconds since the epoch. */
  readonly once: readonly { readonly host: string; readonly at: number }[];
}

/** A host that is in one list leaves the other. */
export interface OwnChange {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** Leave all lists. */
  readonly forget?: readonly string[];
  readonly once?: OwnRules['once'];
  /** Entries of `once` from before this time leave. */
  readonly onceBefore?: number;
}

export const noOwnRules: OwnRules = { allow: [], deny: [], once: [] };
/** In each list. */
export const maxOwnRules = 1000;

export interface EgressRow {
  readonly sandboxId: string;
  /** Grows with each change of what is allowed. */
  readonly revision: number;
  /** What the configuration says. */
  readonly configured: EgressLists;
  /** Mark, by `sourceWith`, of the reading that `configured` is from. */
  readonly source: string;
  readonly own: OwnRules;
}

export interface EgressRules {
  /** `null`: the sandbox has no rules, and nothing is allowed. Rules end with their sandbox. */
  of(sandboxId: string): Promise<EgressRow | null>;
  /**
   * Writes nothing where it is the same. `isCurrent` says whether the source is that of the file of now. It is called inside of the
   * transaction, so that of two processes the one with the older reading never has the last word, except for what it knows to be
   * denied since.
   */
  configure(sandboxId: string, reading: EgressReading, isCurrent: () => boolean): Promise<Settled>;
  /** `null`: there are no rules to change. Throws `resource_exhausted` beyond `maxOwnRules`, and changes nothing then. */
  change(sandboxId: string, change: OwnChange): Promise<Settled | null>;
}

export interface Settled {
  readonly row: EgressRow;
  readonly before: EgressRow | null;
}

/** Pure. */
export function changedRules(own: OwnRules, change: OwnChange): OwnRules {
  const { allow = [], deny = [], forget = [], once = [], onceBefore = -Infinity } = change;
  const gone = (lists: readonly (readonly string[])[]) => (host: string) => !lists.some((list) => list.includes(host));
  const next = {
    allow: [...new Set([...own.allow.filter(gone([deny, forget])), ...allow.filter(gone([deny]))])],
    deny: [...new Set([...own.deny.filter(gone([allow, forget])), ...deny])],
    once: [...own.once.filter(({ host, at }) => at > onceBefore && gone([deny, forget])(host)), ...once],
  };
  if (Object.values(next).every(({ length }) => length <= maxOwnRules)) return next;
  throw new CaissonError('resource_exhausted', `a sandbox has at most ${maxOwnRules} rules of its own in each list`, {
    remedy: 'write what all sandboxes need into network.allow and network.deny of the configuration',
  });
}

/** The lists that hold after a process came with its reading. Pure. */
export function settledReading(before: EgressRow | null, reading: EgressReading, isCurrent: boolean): Settling {
  const [source, lists] = [sourceWith(reading), denying(reading.lists, reading.later)];
  if (before === null) return { source, lists };
  if (!isCurrent) {
    const { configured, source: earlier } = before;
    return { source: reading.later === null ? earlier : source, lists: denying(configured, reading.later) };
  }
  if (before.source !== source || isDeepStrictEqual(before.configured, lists)) return { source, lists };
  return { source, lists: strictest(before.configured, lists) };
}

type Settling = Pick<EgressReading, 'lists' | 'source'>;

function denying(lists: EgressLists, later: EgressReading['later']): EgressLists {
  const deny = (later?.deny ?? []).filter((host) => !lists.deny.includes(host));
  return deny.length === 0 ? lists : { ...lists, deny: [...lists.deny, ...deny] };
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
