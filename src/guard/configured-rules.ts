/** Rules and mode of a task in one reading of the configuration: those of the operator, of the owner and of the task. */
import { allowedTo } from '../config/owners.ts';
import { overridesOf } from '../config/overrides.ts';
import type { Config, Loaded } from '../config/types.ts';
import type { Source } from '../policy/permission/rules.ts';
import { textTool } from '../policy/permission/tools.ts';
import type { Mode, RuleTexts } from '../policy/types.ts';
import { operator } from '../values/caller.ts';

export type Reading = Pick<Loaded, 'config' | 'origins'>;

export type Overrides = readonly (readonly [name: string, override: Config['tasks'][string]])[];

export const overridesIn = ({ config }: Reading, taskId: string): Overrides =>
  overridesOf(taskId, config.tasks).filter(([, { rules, tool_mode }]) => rules ?? tool_mode);

/** Beside those of the operator: the strictest of all rules that match wins. */
export function sourcesIn(reading: Reading, owner: string, overrides: Overrides): readonly Source[] {
  return [
    operatorSource(reading),
    ownerSource(reading, owner),
    ...overrides.map(([name, { rules }]) => taskSource(reading, name, rules)),
  ];
}

/** The rules that ask or deny in a file that is not in force yet. */
export function forbiddenIn(reading: Reading, owner: string, overrides: Overrides): readonly Source[] {
  return sourcesIn(reading, owner, overrides).map((source) => ({
    ...source,
    rules: { ask: source.rules.ask ?? [], deny: source.rules.deny ?? [] },
  }));
}

export const modeIn = ({ config: { approvals } }: Reading, overrides: Overrides): Mode =>
  overrides.findLast(([, { tool_mode }]) => tool_mode)?.[1].tool_mode ?? approvals.tool_mode;

/** Throws `invalid_argument` with the place of a rule that does not parse, about any owner or task. */
export async function checkRules(reading: Reading): Promise<void> {
  const { composePermissions } = await import('../policy/permission/rules.ts');
  const { command_allowlist: entries, owners, tasks } = reading.config;
  composePermissions([
    operatorSource(reading),
    allowlistSource(entries),
    ...[operator, ...Object.keys(owners)].map((owner) => ownerSource(reading, owner)),
    ...Object.entries(tasks).map(([name, { rules }]) => taskSource(reading, name, rules)),
  ]);
}

export function allowlistSource(entries: readonly string[]): Source {
  const rules = entries.filter(isRule);
  return {
    name: 'command_allowlist',
    rules: { allow: rules },
    placeOf: (_list, index) => `command_allowlist[${entries.indexOf(rules[index] ?? '')}]`,
    mayOnlyTighten: false,
  };
}

/** Whether an entry of `command_allowlist` is written like a permission rule. */
export const isRule = (entry: string): boolean => /^[A-Za-z][\w.-]*\([^]+\)$/.test(entry.trim());

function operatorSource(reading: Reading): Source {
  const { deny: globs, rules } = reading.config.approvals;
  const own = plain(rules);
  const inRules = placedIn(reading, 'approvals.rules');
  const inGlobs = placedIn(reading, 'approvals.deny', 'approvals');
  return {
    name: 'operator',
    rules: { ...own, deny: [...globs.map((glob) => `${textTool}(${glob})`), ...(own.deny ?? [])] },
    placeOf: (list, index) =>
      list === 'deny' && index < globs.length
        ? inGlobs(list, index)
        : inRules(list, list === 'deny' ? index - globs.length : index),
    mayOnlyTighten: false,
  };
}

function ownerSource(reading: Reading, owner: string): Source {
  const rules = plain(allowedTo(owner, reading.config).rules ?? {});
  const placeOf = placedIn(reading, 'owners', `owners.${owner}.rules`);
  return { name: `owner ${owner}`, rules, placeOf, mayOnlyTighten: false };
}

function taskSource(reading: Reading, name: string, rules: Config['approvals']['rules'] = {}): Source {
  const placeOf = placedIn(reading, 'tasks', `tasks.${name}.rules`);
  return { name: `task ${name}`, rules: plain(rules), placeOf, mayOnlyTighten: false };
}

/** `FILE:LINE: approvals.rules.deny[0]` */
function placedIn({ origins }: Reading, origin: string, key = origin): NonNullable<Source['placeOf']> {
  const said = origins[origin]?.replace(/^file /, '') ?? 'the configuration';
  return (list, index) => `${said}: ${key}.${list}[${index}]`;
}

function plain({ allow, ask, deny }: Config['approvals']['rules']): RuleTexts {
  return { allow: allow ?? [], ask: ask ?? [], deny: deny ?? [] };
}
