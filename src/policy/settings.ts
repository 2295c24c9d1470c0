/** What an operator has decided, ready to judge by. */
import type { Websites } from '../network/websites.ts';
import { composePermissions, type Composed, type Permission, type Source } from './permission/rules.ts';
import { strictProfile } from './permission/strict.ts';
import type { Mode, Profile, RuleTexts } from './types.ts';

export interface Settings {
  readonly permissions: readonly Permission[];
  readonly mode: Mode;
  readonly profile: Profile;
  /** Keep the hardline list on where the container is the boundary. */
  readonly containerHardline: boolean;
  /** Descriptions of dangerous rules, program names and command texts that are not asked for. */
  readonly commandAllowlist: readonly string[];
  /** Hosts that no command may name; `null`: all may be named. */
  readonly websites: Websites | null;
}

export interface SettingsInput {
  readonly rules?: RuleTexts;
  readonly sources?: readonly Source[];
  readonly mode?: Mode;
  readonly profile?: Profile;
  readonly containerHardline?: boolean;
  readonly commandAllowlist?: readonly string[];
  readonly websites?: Websites | null;
}

/** Throws `invalid_argument` for a rule that does not parse. `ignored`: rules of sources that may only tighten. */
export function settingsOf(input: SettingsInput = {}): Settings & Pick<Composed, 'ignored'> {
  const own: Source = { name: 'operator', rules: input.rules ?? {}, mayOnlyTighten: false };
  const profile = input.profile ?? 'standard';
  const preset: Source[] =
    profile === 'strict' ? [{ name: 'strict', rules: strictProfile.rules, mayOnlyTighten: false }] : [];
  const { permissions, ignored } = composePermissions([...preset, own, ...(input.sources ?? [])]);
  return {
    permissions,
    ignored,
    profile,
    mode: input.mode ?? (profile === 'strict' ? strictProfile.mode : 'autonomous'),
    containerHardline: input.containerHardline ?? false,
    commandAllowlist: input.commandAllowlist ?? [],
    websites: input.websites ?? null,
  };
}
