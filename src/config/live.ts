/** Which keys of a configuration may change while the service runs. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { isSection } from './layer.ts';
import type { Config, Loaded } from './types.ts';
import { given } from '../lib/given.ts';

/** Everything else is read once, by what it opens or builds. */
const liveKeys = [
  ...['owners', 'tasks', 'command_allowlist', 'webhooks'],
  ...['approvals.deny', 'approvals.rules', 'approvals.tool_mode'],
  ...['network.allow', 'network.deny', 'network.ports', 'network.presets', 'network.ask', 'network.mode'],
  ...['approvals.timeout', 'approvals.remote_timeout', 'approvals.session_seconds'],
  ...['security.website_blocklist', 'server.limits'],
] as const;

type LiveConfig = Pick<Loaded, 'config' | 'origins'>;

export interface Change {
  /** What holds from now on: keys that may not change are as before. */
  readonly next: LiveConfig;
  readonly changed: readonly string[];
  readonly needsRestart: readonly string[];
}

/** `section.key`, and the keys that stand beside the sections. */
export function entriesOf(config: object): readonly (readonly [key: string, value: unknown])[] {
  return Object.entries(config).flatMap(([name, value]: [string, unknown]) =>
    isSection(name) && typeof value === 'object' && value !== null
      ? Object.entries(value).map(([key, inner]: [string, unknown]) => [`${name}.${key}`, inner] as const)
      : [[name, value] as const],
  );
}

export function changeOf(now: LiveConfig, read: LiveConfig): Change {
  const next = { config: merged(now.config, read.config), origins: originsOf(now.origins, read.origins) };
  // `tasks` may be in both: only its rules change.
  return { next, changed: differing(now.config, next.config), needsRestart: differing(next.config, read.config) };
}

function differing(one: Config, other: Config): readonly string[] {
  const [before, after] = [new Map(entriesOf(one)), new Map(entriesOf(other))];
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => !isDeepStrictEqual(before.get(key), after.get(key)),
  );
}

function merged(
  now: Config,
  { owners, tasks, command_allowlist, webhooks, approvals, network, security, server }: Config,
): Config {
  const { mode, allow, deny, ports, presets, ask } = network;
  const { deny: denied, rules, tool_mode, timeout, remote_timeout, session_seconds } = approvals;
  return {
    ...now,
    owners,
    command_allowlist,
    webhooks,
    tasks: tasksOf(now.tasks, tasks),
    network: { ...now.network, mode, allow, deny, ports, presets, ask },
    approvals: { ...now.approvals, deny: denied, rules, tool_mode, timeout, remote_timeout, session_seconds },
    security: { ...now.security, website_blocklist: security.website_blocklist },
    server: { ...now.server, limits: server.limits },
  };
}

type Tasks = Config['tasks'];

/** Rules as they are read, in that order, which decides between patterns; what a sandbox is made with as before. */
function tasksOf(now: Tasks, read: Tasks): Tasks {
  const names = [...new Set([...Object.keys(read), ...Object.keys(now)])];
  return Object.fromEntries(
    names.flatMap((name) => {
      const {
        rules: _rules,
        tool_mode: _mode,
        network: _network,
        ...before
      } = (Object.hasOwn(now, name) ? now[name] : undefined) ?? {};
      const { rules, tool_mode, network } = (Object.hasOwn(read, name) ? read[name] : undefined) ?? {};
      const task = {
        ...before,
        ...given({ rules, tool_mode, network }),
      };
      return Object.keys(task).length === 0 && !Object.hasOwn(read, name) ? [] : [[name, task] as const];
    }),
  );
}

function originsOf(now: Loaded['origins'], read: Loaded['origins']): Loaded['origins'] {
  const fixed = Object.entries(now).filter(([key]) => !isLive(key));
  return Object.fromEntries([...fixed, ...Object.entries(read).filter(([key]) => isLive(key))]);
}

const isLive = (key: string): boolean => liveKeys.some((each) => key === each);
