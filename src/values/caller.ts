import type { Label } from './labels.ts';

/** On whose behalf a call is made, where that is not the program which opened Caisson. It travels with the options of a call. */
export interface Caller {
  /** Owner of the token. */
  readonly owner: string;
  /** Id of the token that the client showed: the token that asked may not answer. */
  readonly token: string;
  /** It is the command line of the user who has the state directory: questions and answers of all owners are shown to it. */
  readonly holdsHome?: boolean;
  /** Commands that the token runs at the same time, at most. */
  readonly execs?: number;
  /** What the token is bound to beside its owner. Absent: nothing. */
  readonly bounds?: Bounds;
}

/** `null` everywhere: not bound in this. */
export interface Bounds {
  /** The only task that it sees and makes. */
  readonly task: string | null;
  /** Which sandboxes it sees; it makes them with it. */
  readonly label: Label | null;
  /** What it may make sandboxes from, and where; the first is taken where a request does not say. */
  readonly images: readonly string[] | null;
  /** Backends that it may use. `null`: all. */
  readonly backends: readonly string[] | null;
}

/** The owner of everything that was made without a token. */
export const operator = 'operator';

/**
 * A part of a call that took time: the policy with its questions, waiting for a turn to create, creating, looking whether mounts
 * and network are as requested, joining the door of a filtered network, starting the command.
 */
export type Phase = 'policy' | 'queue' | 'create' | 'prove' | 'network' | 'start' | 'pool' | `pool-${PoolMiss}`;

/** Why a sandbox that was made ahead of demand did not serve. */
export type PoolMiss = 'mounts' | 'network' | 'registry' | 'files' | 'empty' | 'dead';

/** Sees how long the parts of a call took. */
export type Timed = (phase: Phase, ms: number) => void;

/** What a caller wants of a question about its command. */
export interface Asking {
  /** False: it is refused at once, with the id of the question, whose answer the repeated call finds. Absent: it waits. */
  readonly waits?: boolean;
  /** Sees the id of the question once it can be answered. */
  readonly onAsked?: (id: string) => void;
}

/** What a command line says with one call, as it would to a Caisson of its own. Absent: nothing. */
export interface Said {
  /** Beside those of the configuration. */
  readonly rules?: {
    readonly allow?: readonly string[];
    readonly ask?: readonly string[];
    readonly deny?: readonly string[];
  };
  /** What is known to be dangerous is not asked about. What is always refused, and rules, stay. */
  readonly yolo?: boolean;
  /** Absolute, on this host: its project may have rules of its own, and relative paths of this host start there. */
  readonly directory?: string;
}
