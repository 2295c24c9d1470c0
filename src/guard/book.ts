/** The rules, mode and profile that were composed for a task, and whether they say anything. */
import { createHash } from 'node:crypto';
import { remembered } from '../lib/remembered.ts';
import type { Policy } from '../policy/policy.ts';
import type { SettingsInput } from '../policy/settings.ts';
import type { Reach } from '../policy/types.ts';

export interface Book {
  readonly input: SettingsInput;
  /** Changes with every rule and setting: approvals are bound to it. */
  readonly version: string;
  readonly policy: () => Promise<Policy>;
}

export interface Composed {
  /** `command_allowlist` as it was read. */
  readonly base: readonly string[];
  readonly input: SettingsInput;
}

export function buildBook({ base, input }: Composed): Book {
  const sources = input.sources?.filter(({ name }) => name !== 'command_allowlist');
  return {
    input,
    // A rule that an approval saves meanwhile does not make the others void.
    version: createHash('sha256')
      .update(JSON.stringify([base, { ...input, sources, commandAllowlist: [] }]))
      .digest('hex'),
    policy: remembered(async () => await (await import('../policy/policy.ts')).openPolicy(input)),
  };
}

/** Whether such settings have anything to say about a command with this reach. */
export function says(input: SettingsInput, reach: Reach): boolean {
  const { rules, sources = [], mode, profile, containerHardline, websites = null } = input;
  if (websites !== null) return true;
  if (reach !== 'container' || mode !== 'autonomous' || profile !== 'standard' || containerHardline === true)
    return true;
  // Rules that allow change nothing where no rule forbids.
  return [rules ?? {}, ...sources.map((source) => source.rules)].some(
    ({ ask = [], deny = [] }) => ask.length + deny.length > 0,
  );
}

const aboutCommands = /^\s*(?:terminal|terminal_exec|process|execute_code|python_rpc|command)\b/;

/** Whether such settings have anything to say about file tools, wherever these work. */
export function saysOfFiles({ rules, sources = [], mode, profile }: SettingsInput): boolean {
  if (mode !== 'autonomous' || profile !== 'standard') return true;
  return [rules ?? {}, ...sources.map((source) => source.rules)].some(({ ask = [], deny = [] }) =>
    [...ask, ...deny].some((rule) => !aboutCommands.test(rule)),
  );
}
