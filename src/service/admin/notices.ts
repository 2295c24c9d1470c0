/** What the user should know at the start: settings that do less than they seem to, and the state of the state directory. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { invalidFlags } from '../../access/authorize.ts';
import type { Loaded } from '../../config/types.ts';
import { forwardedNames } from '../../plan/backend-keys.ts';
import { namesSecret } from '../../secrets/filters.ts';
import { isPlaceholder } from '../../secrets/placeholder.ts';
import { shortestEverywhere } from '../../redact/forms.ts';
import { forwardedEnv } from '../../values/env.ts';

export function openingNotices(gaveUp: boolean, notices: readonly { readonly message: string }[]): readonly string[] {
  const full =
    'the disk of the state directory is full, or has no inodes left: its reserve was given up, so that space can be freed';
  return [...(gaveUp ? [full] : []), ...notices.map(({ message }) => message)];
}

/** Its files are for this user alone; their names, and when they change, are not. */
function readableHome(home: string): readonly string[] {
  const mode = statSync(home, { throwIfNoEntry: false })?.mode ?? 0o700;
  const shown = (mode & 0o777).toString(8);
  return (mode & 0o077) === 0
    ? []
    : [`other users can look into the state directory ${home} (mode ${shown}): chmod 700 ${home}`];
}

/** A short value may occur in a text by chance, so that its occurrences prove nothing. */
function weakSecrets({ config: { terminal, security, mcp_servers: servers }, env }: Loaded): readonly string[] {
  if (!security.redact_secrets) return [];
  const names = forwardedNames(terminal);
  const own = Object.values(servers).flatMap((server) => Object.entries(server.env ?? {}));
  const values = [...Object.entries(forwardedEnv(names, env)), ...own];
  return values.flatMap(([name, value]) => (namesSecret(name) ? secretProblem(name, value) : []));
}

function secretProblem(name: string, value: string): readonly string[] {
  if (isPlaceholder(value)) return [`${name} holds a placeholder, ${value}, instead of a value`];
  const limit = shortestEverywhere;
  return value.length < limit
    ? [`${name} has fewer than ${limit} characters: it is replaced in output only where it is a whole line`]
    : [];
}

/** Settings that do less than they seem to. */
export function settingNotices(loaded: Loaded): readonly string[] {
  const flags = invalidFlags(loaded.env).map((name) => `${name} is neither true nor false: it admits no user`);
  const unread = existsSync(join(loaded.home, 'cli-config.yaml'))
    ? ['cli-config.yaml in the state directory is not read: move its keys, such as hooks, to config.yaml']
    : [];
  return [...readableHome(loaded.home), ...new Set(weakSecrets(loaded)), ...flags, ...unread, ...loaded.notices];
}
