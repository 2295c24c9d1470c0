/**
 * What the configuration says of the network of one sandbox. Lists of tasks come beside those of `network`. What an owner may reach is its own
 * where the configuration says anything of it: hosts of the operator are nothing that an owner was allowed. What is denied is denied
 * to all. Pure.
 */
import { createHash } from 'node:crypto';
import { operator } from '../values/caller.ts';
import { narrower, type networkModes } from '../values/network-modes.ts';
import { ownerOf } from '../values/owner.ts';
import { beyond, blockedIn } from './forbidden.ts';
import { overridesOf } from './overrides.ts';
import { type Allowed, allowedTo } from './owners.ts';
import type { Config, Loaded } from './types.ts';

type Mode = (typeof networkModes)[number];

interface Lists {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly ports: readonly number[];
  readonly presets: readonly string[];
}

type NetworkSections = Pick<Config, 'network' | 'tasks' | 'owners'>;
type Edit = { readonly config: NetworkSections & Pick<Config, 'security'> };
type Part = { readonly [Name in keyof Lists]?: Lists[Name] | undefined };

/** The mode where a request names none. `null`: the key of the backend under `terminal` says it. */
export function configuredMode(taskKey: string, { network, tasks }: NetworkSections): Mode | null {
  return overridesOf(taskKey, tasks).findLast(([, task]) => task.network?.mode)?.[1].network?.mode ?? network.mode;
}

/** The widest mode that an owner may have. */
export function widestMode({ network }: Allowed): Mode {
  return (typeof network === 'string' ? network : network?.mode) ?? 'open';
}

export const withinWidest = (mode: Mode, allowed: Allowed): Mode => narrower(mode, widestMode(allowed));

/** Lists for the sandbox of a task. An owner's own replace those of all sandboxes, except that `deny` adds up. */
export function egressLists(taskKey: string, config: NetworkSections): Lists {
  const owner = ownerOf(taskKey);
  const said = allowedTo(owner, config).network;
  const own = typeof said === 'object' && owner !== operator ? said : null;
  const tasks = overridesOf(taskKey, config.tasks).flatMap(([, { network }]) =>
    network === undefined ? [] : [network],
  );
  const opening: readonly Part[] = [own ?? config.network, ...(owner === operator ? tasks : [])];
  const unite = <T>(parts: readonly Part[], of: (part: Part) => readonly T[] | undefined): readonly T[] => [
    ...new Set(parts.flatMap((part) => of(part) ?? [])),
  ];
  return {
    allow: unite(opening, ({ allow }) => allow),
    deny: unite([config.network, ...(own === null ? [] : [own]), ...tasks], ({ deny }) => deny),
    ports: unite(opening, ({ ports }) => ports),
    presets: unite(opening, ({ presets }) => presets),
  };
}

/** What later states of the file deny beside the text that was read. */
interface Later {
  readonly deny: readonly string[];
  /** Differs for any other later hosts, also for those of the website policy. */
  readonly mark: string;
}

interface Reading {
  readonly lists: Lists;
  readonly source: string;
  /** `null`: nothing. */
  readonly later: Later | null;
}

/** The lists of a configuration, and what edits deny that no process has reloaded yet. */
export function egressReading(
  taskKey: string,
  { config, source }: Pick<Loaded, 'source'> & Edit,
  edits: readonly Edit[],
): Reading {
  const lists = egressLists(taskKey, config);
  if (edits.length === 0) return { lists, source, later: null };
  const denied = edits.flatMap((edit) => egressLists(taskKey, edit.config).deny);
  const deny = [...new Set(denied)].filter((host) => !lists.deny.includes(host));
  const later = edits.flatMap((edit) => blockedIn(edit.config));
  const blocked = beyond(later, blockedIn(config));
  const isNothing = deny.length + blocked.length === 0;
  return { lists, source, later: isNothing ? null : { deny, mark: markOf([deny, blocked]) } };
}

const markOf = (said: unknown): string => createHash('sha256').update(JSON.stringify(said)).digest('hex');
