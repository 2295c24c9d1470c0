/** Variables that change the configuration: those that hold for a command and not for the service that runs. */
import { readFileSync } from 'node:fs';
import type { Env } from '../world.ts';

/** Variables that the command line itself reads, or tests do. */
const others =
  /^CAISSON_(?:HOME|EXEC|SANDBOX|EMBEDDED|YOLO_MODE|EXEC_ASK|TIMING|DEBUG.*|TEST_.*|REQUIRE_.*|NO_.*)$|^HERMES_(?:HOME|YOLO_MODE|EXEC_ASK)$/;

/** Names of those that are set, in order. */
export function setSwitches(env: Env): readonly string[] {
  const names = Object.keys(env).filter(
    (name) => (name.startsWith('CAISSON_') || name.startsWith('HERMES_')) && !others.test(name) && env[name] !== '',
  );
  return names.toSorted();
}

/** Names of variables without which the service was started, or with another value. */
export function changedSwitches(names: readonly string[], own: Env, pid: number): readonly string[] {
  const ofService = environmentOf(pid);
  return names.filter((name) => own[name] !== ofService.get(name));
}

/** Say whether a person is there to answer; the configuration has no key of these names. */
const sessions = /^(?:CAISSON|HERMES)_(?:CRON|SINGLE_QUERY)_SESSION$/;

/** Variables that change what a command does. Loaded here, since few commands have such. */
export async function effective(names: readonly string[]): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const [{ mayBeSwitch }, { collectDefaults: defaultsOf }] = await Promise.all([
    import('../../config/switches.ts'),
    import('../../config/defaults.ts'),
  ]);
  // Keys of backends begin as those of the section `terminal` do.
  const defaults = defaultsOf({ usual: '', configs: {} });
  return names.filter((name) => sessions.test(name) || mayBeSwitch(name, defaults));
}

/** Environment with which a process was started (proc(5)). Empty where that cannot be read. */
function environmentOf(pid: number): ReadonlyMap<string, string> {
  const pairs = readQuietly(`/proc/${pid}/environ`)
    .split('\0')
    .map((text): readonly [string, string] => {
      const at = text.indexOf('=');
      return [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
    });
  return new Map(pairs);
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
