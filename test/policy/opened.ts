/** Policies for tests, and the words of a verdict. */
import { loadGrammar } from '../../src/shell/grammar/load.ts';
import { policyOn, type Policy } from '../../src/policy/policy.ts';
import { settingsOf, type SettingsInput } from '../../src/policy/settings.ts';
import type { Decision, Reach } from '../../src/policy/types.ts';

const grammar = await loadGrammar();

export function policyWith(input: SettingsInput = {}): Policy {
  return policyOn(settingsOf(input), grammar);
}

const standard = policyWith();

export function decide(
  command: string,
  how: { readonly policy?: Policy; readonly reach?: Reach; readonly cwd?: string } = {},
): Decision {
  return (how.policy ?? standard).decide({ command, cwd: how.cwd ?? '/srv/project', reach: how.reach ?? 'host' });
}

/** The allow-list and deny-list under which the classes of bypasses are stated. */
export const guarded = policyWith({
  mode: 'supervised',
  rules: {
    allow: ['git', 'ls', 'cat', 'echo', 'grep', 'find', 'sort'].map((name) => `terminal(${name}:*)`),
    deny: ['terminal(rm:*)', 'terminal(curl:*)'],
  },
});
