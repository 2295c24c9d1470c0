import type { Guarantees, Limits, NetworkMode, Spec } from '../backend.ts';
import type { Degradation } from '../store/store.ts';
import type { Label, Labels } from '../values/labels.ts';
import type { AskedTimes, Times } from './times.ts';

/** What a caller may say about a sandbox. Everything absent comes from the task's overrides, the file, the defaults. */
export interface SandboxRequest extends AskedTimes {
  /** Grammar `^[a-z0-9][a-z0-9_-]{0,62}$`. Absent: a new ephemeral task that ends with the returned handle. */
  readonly task?: string;
  /** Another name of `task`; two that differ are `invalid_argument`. */
  readonly taskId?: string;
  /** Name of a backend. Absent: `terminal.backend`. */
  readonly backend?: string;
  /** Image in the backend's own form. Absent: the configuration's. */
  readonly image?: string;
  /** Limits; an absent one is the configuration's. */
  readonly limits?: Partial<Limits>;
  /** Network mode. Absent: the configuration's. */
  readonly network?: NetworkMode;
  /** Whether files survive a stop. Absent: the configuration's. */
  readonly persistent?: boolean;
  /** Absolute directory inside in which commands start. Absent: the configuration's. */
  readonly cwd?: string;
  /**
   * Has the directory of the caller (`cwd` of the opening) inside at its own path, writable, and starts there. Without isolation it
   * is there already. Never to be taken from a client: it names a path of this host.
   */
  readonly project?: boolean;
  /**
   * The MCP server of the configuration that runs in it: alone its own request reaches its sandbox, and nothing of this host is
   * passed on to it. Never to be taken from a client.
   */
  readonly server?: string;
  /** At most 64, with the grammar of Kubernetes; none begins with `caisson.`. A sandbox that is there gets them beside its own. */
  readonly labels?: Labels;
  /** Start although a requested control cannot be given; what is missing is listed under `degraded`. */
  readonly allowDegraded?: boolean;
  /** Replace a sandbox of this task that was made from another spec, instead of failing with `conflict`. */
  readonly recreate?: boolean;
  /**
   * Take the sandbox that the task has, as it is, whatever the configuration says by now; `not_found` when it has none.
   * `task` may then be a sandbox id, and nothing else may be asked for.
   */
  readonly existing?: boolean;
}

/** What will be made or taken for a request: decided before anything happens, and never changed afterwards. */
export interface Plan {
  readonly taskId: string;
  readonly spec: Spec;
  /** What file and environment alone make of it, without the request. */
  readonly configured: Spec;
  readonly fingerprint: string;
  /** The spec less what the place cannot give. */
  readonly placed: Spec;
  readonly degraded: readonly Degradation[];
  /** Whether a control may be missing that is only found to be missing once the sandbox runs. */
  readonly allowDegraded: boolean;
  readonly guarantees: Guarantees;
  readonly ephemeral: boolean;
  readonly recreate: boolean;
  /** Only the sandbox that the task has: when it is removed meanwhile, none is made. */
  readonly existing: boolean;
  readonly idleMs: number | null;
  readonly ttlMs: number | null;
  /** What the request itself says, which holds for a sandbox that is there too. */
  readonly labels: Labels;
  readonly times: Partial<Times>;
  /** Label of the token that asks: new sandboxes get it, and the token does not see sandboxes without it. `null`: any. */
  readonly bound: Label | null;
  readonly timeoutMs: number | null;
  /** `terminal.cwd`. Where commands run on the host itself, they start there, or else in the caller's directory. */
  readonly configuredCwd: string | null;
  /** Names of host variables whose values commands see. */
  readonly forwardEnv: readonly string[];
  /** Variables that the configuration sets, with their values. */
  readonly setEnv: Readonly<Record<string, string>>;
  /** Names of host variables by `env_passthrough`, whose values programs of code runs see too. */
  readonly passEnv: readonly string[];
  /** Names or paths of skills that the configuration wants. */
  readonly skills: readonly string[];
  readonly credentials: {
    /** Paths below the state directory, of the configuration and of skills that are loaded. */
    readonly configured: readonly string[];
    readonly bySkills: readonly string[];
    /** Directory of the credentials inside a sandbox that has a file system of its own. */
    readonly directory: string;
  };
}

/** A plan before its spec is compared with what the place can give. */
export interface PlanDraft extends Omit<Plan, 'fingerprint' | 'placed' | 'degraded'> {
  /** Controls that someone set: they are refused, not weakened, where they cannot be given. */
  readonly asked: ReadonlySet<string>;
  /** Those of them that the request names. */
  readonly said: ReadonlySet<string>;
  /** An open network is to be kept from this host and private networks: `network.open_private` is not true. */
  readonly keepsPrivate: boolean;
  /** Neither the request nor the configuration names an image. */
  readonly usualImage: boolean;
}
