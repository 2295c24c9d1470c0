/** Checking of what was read, source by source, so that each error names its own place. Loads the schema. */
import type { z } from 'zod';
import { parseYaml, type Path, type Position } from './document.ts';
import { withoutForeign } from './foreign.ts';
import { explain, type KeyPosition } from './explain.ts';
import { type Laid, type Setting, settingsOf } from './layer.ts';
import { configError } from './problem.ts';
import { approvalsSection, projectRules, type Schema, single } from './schema.ts';
import { type Switch, readings } from './switches.ts';
import { unsectioned } from './defaults.ts';
import { inUnit, withUnits } from './units.ts';
import type { Document, Flags, Settings, Unsectioned } from './types.ts';

export interface CheckedFile {
  readonly settings: readonly Setting[];
  readonly tasks: Readonly<Record<string, readonly Setting[]>>;
  readonly unsectioned: Unsectioned;
  /** Keys of the file without effect, for people. */
  readonly notices: readonly string[];
  /** File and line of each key that stands beside the sections. */
  readonly origins: Readonly<Record<string, string>>;
}

export function checkFile(schema: Schema, text: string, file: string): CheckedFile {
  const { value: written, positionOf } = parseYaml(text, file);
  const placeOf = (path: Path): KeyPosition => placeAt(file, positionOf(path));
  const { value, notices, problems } = withoutForeign(
    withUnits(withoutEmpty(written)),
    schema.foreign,
    (path) => placeOf(path).text,
  );
  if (problems.length > 0) throw configError(problems);
  const result = schema.document.safeParse(value);
  if (!result.success)
    throw configError(
      explain(result.error.issues, {
        value,
        sections: schema.sections,
        placeOf,
      }),
    );
  const lineOf = (path: Path): string => `${file}:${positionOf(path).line}`;
  const settingsFor = (name: string, terminal: object): readonly Setting[] =>
    settingsOf({ terminal }, (_, key) => `task ${name} at ${lineOf(['tasks', name, key])}`);
  const perTask = Object.entries(result.data.tasks ?? {}).map(
    ([name, { rules: _rules, tool_mode: _mode, network: _network, ...terminal }]) =>
      [name, settingsFor(name, terminal)] as const,
  );
  return {
    settings: settingsOf(result.data, (section, key) => `file ${lineOf([section, key])}`),
    tasks: Object.fromEntries(perTask),
    unsectioned: unsectionedIn(result.data),
    notices,
    origins: Object.fromEntries(
      Object.keys(unsectioned)
        .filter((key) => Object.hasOwn(result.data, key))
        .map((key) => [key, `file ${lineOf([key])}`]),
    ),
  };
}

function unsectionedIn(written: Document): Unsectioned {
  return {
    backends: written.backends ?? unsectioned.backends,
    command_allowlist: written.command_allowlist ?? unsectioned.command_allowlist,
    unauthorized_dm_behavior: written.unauthorized_dm_behavior ?? unsectioned.unauthorized_dm_behavior,
    group_sessions_per_user: written.group_sessions_per_user ?? unsectioned.group_sessions_per_user,
    mcp_servers: written.mcp_servers ?? unsectioned.mcp_servers,
    webhooks: written.webhooks ?? unsectioned.webhooks,
    owners: written.owners ?? unsectioned.owners,
    registries: written.registries ?? unsectioned.registries,
    tasks: written.tasks ?? unsectioned.tasks,
  };
}

/** Throws `invalid_argument` as `checkFile` does. */
export function checkProjectRules(text: string, file: string): z.infer<typeof projectRules> {
  const { value: written, positionOf } = parseYaml(text, file);
  const value = written ?? {};
  const result = projectRules.safeParse(value);
  if (result.success) return result.data;
  // What is expected of its keys is what is expected of those of the configuration.
  const keyOf = (path: Path): Path => path.slice(path[1] === 'rules' ? 2 : 1);
  const issues = result.error.issues.map((issue) => ({
    ...issue,
    path: ['approvals', ...(issue.path[0] === 'tool_mode' ? [] : ['rules']), ...issue.path],
  }));
  const own = { keyOf, keys: Object.keys(projectRules.shape) };
  const placeOf = (path: Path): KeyPosition => placeAt(file, positionOf(keyOf(path)));
  const place = {
    value: { approvals: { ...value, rules: value } },
    sections: { approvals: approvalsSection },
    placeOf,
    own,
  };
  throw configError(explain(issues, place));
}

/** A line is shorter than the largest file allowed. */
const widestColumn = 1_000_000;

function placeAt(file: string, { line, column }: Position): KeyPosition {
  return { text: `${file}:${line}:${column}`, order: line * widestColumn + column };
}

/** A section whose keys are all commented out is null to YAML, and empty to its author. */
function withoutEmpty(value: unknown): unknown {
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) return value;
  const sectionsOf = Object.entries(value).map(([key, inner]: [string, unknown]) => [
    key,
    key === 'tasks' ? withoutEmpty(inner) : (inner ?? emptyOf(key)),
  ]);
  return Object.fromEntries(sectionsOf);
}

function emptyOf(key: string): unknown {
  if (!Object.hasOwn(single, key)) return {};
  if (key === 'backends') return {};
  return key === 'command_allowlist' ? [] : null;
}

export function checkSwitches(
  schema: Schema,
  found: readonly Switch[],
  originOf: (variable: string) => string,
): readonly Setting[] {
  return found.map(({ variable, section, key, text }) => {
    const value = [...readings(text), inUnit(section, key, text)].find(
      (each) => schema.document.safeParse({ [section]: { [key]: each } }).success,
    );
    if (value === undefined) throw switchError(schema, { variable, section, key, text });
    return { section, key, value, origin: originOf(variable) };
  });
}

function switchError({ document, sections }: Schema, { variable, section, key, text }: Switch): Error {
  const value = { [section]: { [key]: readings(text)[0] } };
  const issues = document.safeParse(value).error?.issues ?? [];
  return configError(explain(issues, { value, sections, placeOf: () => ({ text: variable, order: 0 }) }));
}

export function checkFlags({ flags: document, sections }: Schema, flags: Flags): readonly Setting[] {
  const given = Object.fromEntries(
    Object.entries(flags).map(([section, keys]: [string, object]) => [section, definedOf(keys)]),
  );
  const value = withUnits(given);
  const result = document.safeParse(value);
  if (!result.success)
    throw configError(explain(result.error.issues, { value, sections, placeOf: () => ({ text: 'flag', order: 0 }) }));
  return settingsOf(result.data, () => 'flag');
}

function definedOf(keys: object): object {
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined));
}

/** All sources together, as typed values. Each was checked before, so a failure here is a bug. */
export function settle({ sections }: Schema, { values }: Laid): Settings {
  const {
    terminal,
    approvals,
    acp,
    hooks,
    tool_loop_guardrails: guardrails,
    policy,
    security,
    network,
    exec,
    audit,
    pool,
    server,
    discord,
    ...platforms
  } = sections;
  return {
    terminal: terminal.parse(values['terminal']),
    approvals: approvals.parse(values['approvals']),
    acp: acp.parse(values['acp']),
    hooks: hooks.parse(values['hooks']),
    tool_loop_guardrails: guardrails.parse(values['tool_loop_guardrails']),
    policy: policy.parse(values['policy']),
    security: security.parse(values['security']),
    network: network.parse(values['network']),
    exec: exec.parse(values['exec']),
    audit: audit.parse(values['audit']),
    pool: pool.parse(values['pool']),
    server: server.parse(values['server']),
    discord: discord.parse(values['discord']),
    email: platforms.email.parse(values['email']),
    mattermost: platforms.mattermost.parse(values['mattermost']),
    signal: platforms.signal.parse(values['signal']),
    slack: platforms.slack.parse(values['slack']),
    telegram: platforms.telegram.parse(values['telegram']),
    whatsapp: platforms.whatsapp.parse(values['whatsapp']),
  };
}
