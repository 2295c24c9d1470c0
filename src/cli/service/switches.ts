/** Variables that change the configuration: those that hold for a command and not for the service that runs. */
import { readFileSync } from 'node:fs';
import type { Env } from '../world.ts';

/** What does not change the configuration, or is read by the command line itself. */
const others =
  /^CAISSON_(?:HOME|EXEC|SANDBOX|EMBEDDED|YOLO_MODE|DEBUG.*|TEST_.*|REQUIRE_.*|NO_.*)$|^HERMES_(?:HOME|YOLO_MODE)$/;

/** Names of those that are set, in order. */
export function setSwitches(env: Env): readonly string[] {
  const names = Object.keys(env).filter(
    (name) => (name.startsWith('CAISSON_') || name.startsWith('HERMES_')) && !others.test(name) && env[name] !== '',
  );
  return names.toSorted();
}

/** Of these, the ones that the service was started without, or with another value. */
export function changedSwitches(names: readonly string[], own: Env, pid: number): readonly string[] {
  const ofService = environmentOf(pid);
  return names.filter((name) => own[name] !== ofService.get(name));
}

/** As it was started (proc(5)). Empty where that cannot be read. */
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
