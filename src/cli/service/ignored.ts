/** Variables that name a key of a backend without its section: without a service they are an error, and a service never sees them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CaissonClient } from '../../client/types.ts';
import type { Env } from '../world.ts';

/** A service that is slow to answer costs a command no more than this. */
const timeoutMs = 1000;

/** `CAISSON_DOCKER_IMAGE`, and not `CAISSON_URL`. */
const form = /^CAISSON_[A-Z\d]+_[A-Z\d_]+$/;

/** One line for each of these that says something else than the service holds. Asks the service only where a name could be such a key. */
export async function ignoredSwitches(
  names: readonly string[],
  env: Env,
  { config }: Pick<CaissonClient, 'config'>,
): Promise<readonly string[]> {
  const named = names.filter((name) => form.test(name));
  if (named.length === 0) return [];
  const quiet = new AbortController();
  const late = sleep(timeoutMs, [], { signal: quiet.signal }).catch(() => []);
  const shown = await Promise.race([config.show().catch(() => []), late]);
  quiet.abort();
  const held = new Map(shown.map(({ key, value }) => [key, value]));
  return named.flatMap((name) => {
    const key = `terminal.${name.slice('CAISSON_'.length).toLowerCase()}`;
    if (!held.has(key) || textOf(held.get(key)) === env[name]) return [];
    return [
      `${name} is ignored: there is no such setting, did you mean CAISSON_TERMINAL_${name.slice('CAISSON_'.length)}?`,
    ];
  });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
