/** One sandbox and its limits as callers see them. Types only: nothing is loaded by importing this. */
import type { Guarantees, LimitName, NetworkMode, ResourceState } from '../backend.ts';
import type { End } from './expiry.ts';
import type { View } from './view.ts';

export interface Inspected extends View {
  /** The state that the place tells now. */
  readonly resource: ResourceState | 'gone';
  /** What ends it, the earliest first, as long as nothing is said or used again. Nothing: only a caller does. */
  readonly endsBy: readonly End[];
  /** Why commands of this process go the direct way there; `null` while nothing speaks against lanes. */
  readonly noLanes: string | null;
}

/**
 * `measured`: read inside the sandbox. `enforced`: the backend holds it, which cannot be read inside. `not-enforced`: it was
 * wanted, and the place does not hold it. `unlimited`: no limit was asked for, and none was found.
 */
export type Standing = 'measured' | 'enforced' | 'not-enforced' | 'unlimited';

export interface SandboxLimit {
  /** Name of the limit. */
  readonly name: LimitName;
  /** Limit that was asked for, in the unit of its name. `null`: none. */
  readonly wanted: number | null;
  /** What holds. `null`: no limit. */
  readonly effective: number | null;
  /** Manner in which the limit holds, or does not. */
  readonly standing: Standing;
  /** Means by which the limit is enforced, or the reason why it is not. */
  readonly why: string | null;
}

export interface SandboxLimits {
  /** Task of the sandbox. */
  readonly taskId: string;
  /** Id of the sandbox. */
  readonly sandboxId: string;
  /** Name of the backend. */
  readonly backend: string;
  /** Boundary between commands and their host. */
  readonly isolation: Guarantees['isolation'];
  /** One entry for each limit. */
  readonly limits: readonly SandboxLimit[];
  /** Network mode, how it holds, and the means or the reason. */
  readonly network: { readonly mode: NetworkMode; readonly standing: Standing; readonly why: string | null };
  /** Paths inside that cannot be written to; `/` is all that is not mounted over it. */
  readonly readOnly: readonly string[];
  /** Directory where commands start. */
  readonly cwd: string;
  /** Milliseconds without use that end it. `null`: use does not matter. */
  readonly idleTimeoutMs: number | null;
  /** Milliseconds from its creation that end it. `null`: age does not matter. */
  readonly lifetimeMs: number | null;
  /** Deadline of a command that names none itself. `null`: no deadline. */
  readonly commandTimeoutMs: number | null;
  /** Ends that are set, the earliest first. */
  readonly endsBy: readonly End[];
  /**
   * What is left of its files when it is removed by age, or vanishes. `directories`: what is in its persistent directories.
   * `all`: the place keeps them. `nothing`: they go with it. A removal by a caller takes them all, unless it asks to keep them.
   */
  readonly kept: 'directories' | 'all' | 'nothing';
}
