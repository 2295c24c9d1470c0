/** What a configuration forbids and allows, as entries that can be compared with those of another state of the file. Pure. */
import type { Config } from './types.ts';
import type { ToolMode } from '../values/tool-modes.ts';

export interface Entry {
  /** Dotted, down to the list: `owners.alice.rules.deny`. */
  readonly key: string;
  readonly text: string;
}

type Ruled = Pick<Config, 'approvals' | 'owners' | 'tasks' | 'network' | 'security'>;
type Rules = Config['approvals']['rules'];

/** Rules that ask or deny, and hosts that are denied. */
export const forbiddenIn = (config: Ruled): readonly Entry[] => [
  ...config.approvals.deny.map((text) => ({ key: 'approvals.deny', text })),
  ...listsOf(config, ['deny', 'ask']),
  ...networkEntries(config, 'deny'),
  ...blockedIn(config),
];

/** Entries of `security.website_blocklist`; a list that is off has none. */
export function blockedIn({ security }: Pick<Ruled, 'security'>): readonly Entry[] {
  const { enabled = true, domains = [], shared_files: files = [] } = security.website_blocklist;
  const entries = (name: string, texts: readonly string[]): readonly Entry[] =>
    texts.map((text) => ({ key: `security.website_blocklist.${name}`, text }));
  return enabled ? [...entries('domains', domains), ...entries('shared_files', files)] : [];
}

export const allowedIn = (config: Ruled): readonly Entry[] => listsOf(config, ['allow']);

type NetworkList = 'allow' | 'deny' | 'presets' | 'ports';

/** Entries of one list of `network`: for all sandboxes, for owners and for tasks. */
export function networkEntries({ network, owners, tasks }: Ruled, list: NetworkList): readonly Entry[] {
  const scopes = [
    ['network', network] as const,
    ...Object.entries(owners).map(([name, { network: own }]) => [`owners.${name}.network`, own] as const),
    ...Object.entries(tasks).map(([name, { network: own }]) => [`tasks.${name}.network`, own] as const),
  ];
  return scopes.flatMap(([scope, said]) =>
    typeof said === 'object' ? (said[list] ?? []).map((each) => ({ key: `${scope}.${list}`, text: String(each) })) : [],
  );
}

function listsOf(config: Ruled, lists: readonly (keyof Rules)[]): readonly Entry[] {
  return scopesOf(config).flatMap(([scope, rules]) =>
    lists.flatMap((list) => (rules[list] ?? []).map((text) => ({ key: `${scope}.${list}`, text }))),
  );
}

function scopesOf({ approvals, owners, tasks }: Ruled): readonly (readonly [scope: string, rules: Rules])[] {
  return [
    ['approvals.rules', approvals.rules],
    ...Object.entries(owners).map(([name, { rules = {} }]) => [`owners.${name}.rules`, rules] as const),
    ...Object.entries(tasks).map(([name, { rules = {} }]) => [`tasks.${name}.rules`, rules] as const),
  ];
}

export interface ModeEntry {
  /** `approvals.tool_mode`, `tasks.build.tool_mode`. */
  readonly key: string;
  readonly mode: ToolMode;
}

export const modesIn = ({ approvals, tasks }: Ruled): readonly ModeEntry[] => [
  { key: 'approvals.tool_mode', mode: approvals.tool_mode },
  ...Object.entries(tasks).flatMap(([name, { tool_mode: mode }]) =>
    mode === undefined ? [] : [{ key: `tasks.${name}.tool_mode`, mode }],
  ),
];

/** Entries that the others lack. */
export function beyond(entries: readonly Entry[], others: readonly Entry[]): readonly Entry[] {
  const known = new Set(others.map(textOf));
  return entries.filter((entry) => !known.has(textOf(entry)));
}

export const textOf = ({ key, text }: Entry): string => `${key}: ${text}`;

/** Whether a state of the file forbids anything beyond all others. */
export function forbidsMore(config: Ruled, others: readonly Ruled[]): boolean {
  const rules = beyond(forbiddenIn(config), others.flatMap(forbiddenIn));
  // An owner that is named loses the rules of `default`, and one that is not named any more gets them.
  const names = Object.keys(config.owners).toSorted().join(' ');
  const isNew = others.every(({ owners }) => Object.keys(owners).toSorted().join(' ') !== names);
  return rules.length > 0 || isStricter(config, others) || (isNew && forbiddenIn(config).length > 0);
}

/** A pattern may come before another one, so that any other set of modes may be stricter for some task. */
function isStricter(config: Ruled, others: readonly Ruled[]): boolean {
  const modes = JSON.stringify(modesIn(config));
  return (
    others.every((each) => JSON.stringify(modesIn(each)) !== modes) &&
    modesIn(config).some(({ mode }) => mode !== 'autonomous')
  );
}
