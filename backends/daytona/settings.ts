/** Values of the keys `terminal.daytona_*`, which the schema has checked; those that are missing are the defaults. */
import { config } from './config.ts';

export interface Settings {
  readonly apiUrl: string;
  readonly target: string;
  /** `null`: any number. */
  readonly maxSandboxes: number | null;
  readonly idleMinutes: number;
  readonly archiveMinutes: number;
  readonly lifetimeMinutes: number;
  readonly maxCpu: number;
  /** GiB. */
  readonly maxMemory: number;
  readonly maxDisk: number;
}

export function readSettings(given: Readonly<Record<string, unknown>>): Settings {
  const value = (key: string): unknown => given[key] ?? config.defaults[key];
  const max = given['max_sandboxes'] === undefined ? config.defaults['max_sandboxes'] : given['max_sandboxes'];
  return {
    apiUrl: String(value('api_url')),
    target: String(value('target')),
    maxSandboxes: max === null ? null : Number(max),
    idleMinutes: Number(value('idle_minutes')),
    archiveMinutes: Number(value('archive_minutes')),
    lifetimeMinutes: Number(value('lifetime_minutes')),
    maxCpu: Number(value('max_cpu')),
    maxMemory: Number(value('max_memory')),
    maxDisk: Number(value('max_disk')),
  };
}
