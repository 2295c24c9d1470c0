/** What ~/.ssh/config says about one host (ssh_config(5)), as far as this backend can follow it. */
import { globSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import sshConfig from 'ssh-config';
import { CaissonError } from '../../src/errors.ts';

export interface HostEntry {
  readonly host: string | null;
  readonly port: number | null;
  readonly user: string | null;
  readonly keyFiles: readonly string[];
  readonly knownHostsFiles: readonly string[] | null;
  readonly hostKeyAlias: string | null;
}

const deepestInclude = 8;

/**
 * `directory`: where relative includes start. Throws `not_supported` for a host that is behind a jump host or a proxy
 * command: reaching another machine under its name would be worse.
 */
export function hostEntry(text: string, alias: string, directory: string): HostEntry {
  const values = valuesFor(withIncludes(text, directory, 0), alias);
  const single = (name: string): string | null => values(name)[0] ?? null;
  const detour = ['proxyjump', 'proxycommand'].find((name) => (single(name) ?? 'none').toLowerCase() !== 'none');
  if (detour !== undefined)
    throw new CaissonError(
      'not_supported',
      `${alias} is reached by ${detour} in ~/.ssh/config, which is not supported`,
      {
        remedy: 'name a host that can be reached directly',
      },
    );
  const host = single('hostname')?.replaceAll('%h', alias) ?? null;
  const port = Number(single('port') ?? Number.NaN);
  const known = values('userknownhostsfile').filter((file) => file.toLowerCase() !== 'none');
  return {
    host,
    port: Number.isInteger(port) && port > 0 && port < 65_536 ? port : null,
    user: single('user'),
    keyFiles: values('identityfile').filter((file) => file.toLowerCase() !== 'none'),
    knownHostsFiles: values('userknownhostsfile').length === 0 ? null : known,
    hostKeyAlias: single('hostkeyalias'),
  };
}

/** By lower-case name, which is how ssh reads them. Commands of `Match exec` are not run: such a block does not apply. */
function valuesFor(text: string, alias: string): (name: string) => readonly string[] {
  // The library sets a User of its own where the file has none; only what the file says counts here.
  const computed = sshConfig.parse(text).compute({ Host: alias }, { ignoreCase: true, matchExec: false });
  const byName = new Map(
    Object.entries(computed).map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value : [value]]),
  );
  return (name) => byName.get(name) ?? [];
}

function withIncludes(text: string, directory: string, depth: number): string {
  if (depth > deepestInclude) return '';
  return text.replaceAll(/^[ \t]*Include[ \t=]+(.+)$/gim, (_line, patterns: string) =>
    patterns
      .trim()
      .split(/\s+/)
      .flatMap((pattern) => globSync(resolve(directory, pattern.replaceAll('"', '').replace(/^~(?=\/)/, homedir()))))
      .map((file) => withIncludes(readFileSync(file, 'utf8'), directory, depth + 1))
      .join('\n'),
  );
}
