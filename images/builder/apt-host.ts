/**
 * How this host reaches Debian: its own mirror and proxy, if it has any. They serve the build and never get into an
 * image: an image carries the addresses that Debian itself gives out.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { suite } from './recipes.ts';

const execute = promisify(execFile);

export const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

export interface AptHost {
  /** Lines for `sources.list`; empty when the host has none for this release, so that Debian's own are used. */
  readonly sources: string;
  /** Lines for `apt.conf`. */
  readonly options: string;
}

export async function aptHost(env: NodeJS.ProcessEnv): Promise<AptHost> {
  const format = '$(REPO_URI) $(RELEASE) $(COMPONENT)';
  const [targets, settings] = await Promise.all([
    execute('apt-get', ['indextargets', '--format', format, 'Created-By: Packages'], { env }),
    execute('apt-config', ['dump'], { env }),
  ]);
  return { sources: sourcesOf(targets.stdout), options: optionsOf(settings.stdout) };
}

/**
 * From lines of "URI SUITE COMPONENT". Kept are Debian's own archives by the shape that every mirror of them has; the
 * keyring is named, so that nothing but Debian's signature is accepted whatever the mirror is.
 */
export function sourcesOf(targets: string): string {
  const suites = [suite, `${suite}-updates`, `${suite}-security`];
  const lines = targets.split('\n').flatMap((line) => {
    const [uri = '', release = '', component = ''] = line.trim().split(' ');
    const debian = /\/debian(-security)?\/?$/.test(uri) && suites.includes(release) && component === 'main';
    return debian ? [`deb [signed-by=${keyring}] ${uri} ${release} ${component}\n`] : [];
  });
  const whole = lines.some((line) => line.endsWith(` ${suite} main\n`));
  return whole ? [...new Set(lines)].join('') : '';
}

/** From `apt-config dump`: how to fetch (proxy, certificates, patience). What is trusted is not among it. */
export function optionsOf(dump: string): string {
  const fetching = /^Acquire::(http|https|Retries|ForceIPv4|ForceIPv6|Check-Date|Check-Valid-Until)(::[^ ]*)? "/i;
  const lines = dump.split('\n').filter((line) => fetching.test(line));
  return lines.map((line) => `${line}\n`).join('');
}
