/** Who may talk to an agent. Pure: over the environment, and who is paired. */
import type { Rule } from './types.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Anything else, `on` and `enabled` too, opens nothing: what it was meant to say is not known. */
const yes: readonly string[] = ['true', '1', 'yes'];
const no: readonly string[] = ['false', '0', 'no', ''];

export interface Asker {
  readonly platform: string;
  /** Any of them will do. */
  readonly ids: readonly string[];
}

/** The first that holds, in the documented order. Being paired is enough: no list needs to name a paired user as well. */
export function ruleFor({ platform, ids }: Asker, env: Environment, paired: ReadonlySet<string>): Rule {
  const own = prefixOf(platform);
  const rules: readonly (readonly [Rule, () => boolean])[] = [
    ['platform-allow-all', () => isYes(env[`${own}_ALLOW_ALL_USERS`])],
    ['paired', () => ids.some((id) => paired.has(id))],
    ['platform-allowlist', () => names(env[`${own}_ALLOWED_USERS`], ids)],
    ['global-allowlist', () => names(env['GATEWAY_ALLOWED_USERS'], ids)],
    ['global-allow-all', () => isYes(env['GATEWAY_ALLOW_ALL_USERS'])],
  ];
  return rules.find(([, holds]) => holds())?.[0] ?? 'none';
}

/** Whether somebody has written a list of users that counts here, be there a user on it or not. */
export function hasAllowlist(platform: string, env: Environment): boolean {
  return [`${prefixOf(platform)}_ALLOWED_USERS`, 'GATEWAY_ALLOWED_USERS'].some((name) => env[name]?.trim());
}

/** Ids between commas; `*` is everybody. An empty list admits no user. */
export function idsIn(text: string | undefined): ReadonlySet<string> {
  const ids = (text ?? '').split(',').map((id) => id.trim());
  return new Set(ids.filter((id) => id !== ''));
}

/** Flags that say neither yes nor no. They admit no user, and a notice says so. */
export function invalidFlags(env: Environment): readonly string[] {
  const flags = Object.keys(env).filter((name) => name.endsWith('_ALLOW_ALL_USERS'));
  return flags.filter((name) => ![...yes, ...no].includes(wordOf(env[name])));
}

function names(list: string | undefined, ids: readonly string[]): boolean {
  const listed = idsIn(list);
  return listed.has('*') || ids.some((id) => listed.has(id));
}

const wordOf = (text: string | undefined): string => (text ?? '').trim().toLowerCase();
const isYes = (text: string | undefined): boolean => yes.includes(wordOf(text));
const prefixOf = (platform: string): string => platform.toUpperCase();
