/** The backend's keys of the configuration, in units of the service. */
import { config } from './config.ts';

export interface Settings {
  readonly app: string;
  readonly lifetimeMs: number;
  readonly idleMs: number;
  /** `null`: any number. */
  readonly maxSandboxes: number | null;
}

export function readSettings(given: Readonly<{ [key: string]: unknown }>): Settings {
  const { app, lifetime_seconds, idle_seconds, max_sandboxes } = { ...config.defaults, ...given };
  return {
    app: String(app),
    lifetimeMs: Number(lifetime_seconds) * 1000,
    idleMs: Number(idle_seconds) * 1000,
    maxSandboxes: max_sandboxes === null ? null : Number(max_sandboxes),
  };
}
