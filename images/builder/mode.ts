/** Finds the rights with which mmdebstrap can make a root file system here. */
import { CaissonError } from '../../src/errors.ts';
import { succeeds } from './run.ts';

export interface Mode {
  readonly prefix: readonly string[];
  readonly mode: 'root' | 'unshare';
}

export async function buildMode(env: NodeJS.ProcessEnv): Promise<Mode> {
  if (process.getuid?.() === 0) return { prefix: [], mode: 'root' };
  if (await succeeds(['unshare', '--user', '--map-auto', '--map-root-user', 'true'], env))
    return { prefix: [], mode: 'unshare' };
  if (await succeeds(['sudo', '-n', 'true'], env)) return { prefix: ['sudo', '-n'], mode: 'root' };
  throw new CaissonError('failed_precondition', 'an image cannot be built here: no root, no sudo, no user namespaces', {
    remedy:
      'Run it as root, or install uidmap and give this user a range in /etc/subuid and /etc/subgid (see subuid(5)).',
  });
}

/** What the packages method needs from the host; the names of those missing. */
export async function missingTools(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const checks = await Promise.all(
    (['mmdebstrap', 'apt-get', 'tar'] as const).map(async (tool) =>
      (await succeeds([tool, '--version'], env)) ? [] : [tool],
    ),
  );
  return checks.flat();
}
