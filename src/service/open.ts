/** What Caisson is opened with. Types only. */
import type { BackendLoader } from '../backend.ts';
import type { Clock } from '../lib/clock.ts';
import type { GuardInput } from '../guard/types.ts';

export interface OpenInput extends GuardInput {
  /** The state directory. Absent: `CAISSON_HOME`, else `~/.caisson`. */
  readonly home?: string;
  /** The environment: switches, and values of forwarded names. Absent: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What relative paths start from, and where a project's own rules are looked for. Absent: the directory of the process. */
  readonly cwd?: string;
  /** Backends beside those of Caisson, by name: `{ mine: () => import('my-backend') }`. */
  readonly backends?: Readonly<Record<string, BackendLoader>>;
  /** Absent: the clock of the system. */
  readonly clock?: Clock;
  /** Configuration keys set for this process, dotted: `{"terminal.container_cpu": 2}`. */
  readonly flags?: Readonly<Record<string, unknown>>;
}

/** What the egress proxy is opened with. */
export type EgressInput = OpenInput & { readonly signal: AbortSignal; readonly say: (text: string) => void };
