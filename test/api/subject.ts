/** One place to run the suite on: how the API is reached there, and what cannot be done that way. */
import type { Api } from './api.ts';
import type { Place } from './place.ts';

/** `agent` runs commands and administers, `person` answers questions, `other` is a second agent of the same owner. */
export type Role = 'agent' | 'person' | 'other';

export interface OpenSubject {
  /** A connection of its own. Its `close` is called once. */
  readonly connect: (role: Role) => Promise<Api>;
  /** Breaks the connections that are open at this moment. Absent: the API is in this process and has no connections. */
  readonly cut?: () => void;
  /** Ends what `open` began, after all connections were closed. */
  readonly close: () => Promise<void>;
}

export interface Subject {
  /** Name in results: `embedded on local`. */
  readonly name: string;
  /** The backend of sandboxes that name none. */
  readonly backend: string;
  /** `settings` is the text of config.yaml for the state directory, beside the section `terminal`, which the subject adds. */
  readonly open: (settings: string) => Promise<OpenSubject>;
  /** Whether sandboxes there tell what they use. */
  readonly hasStats: boolean;
  /** Whether a command there may run on a terminal. */
  readonly hasTerminals: boolean;
  /** Whether a sandbox has a file system of its own. */
  readonly isContained: boolean;
  /** Runs only the cases that depend on the place: the others show the same on any backend, and another subject has them. */
  readonly placeOnly?: boolean;
  /** Why there is nothing to test on this machine; absent or `null` when there is. */
  readonly unavailable?: string | null;
  /** Deviations by the id of the case. */
  readonly deviations?: Readonly<Record<string, Deviation>>;
}

/** A case that one side cannot pass, and a test of what it does instead, which fails when that changes. */
export interface Deviation {
  readonly reason: string;
  readonly instead: (place: Place) => Promise<void>;
}
