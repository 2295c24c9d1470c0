/** What the test and its programs say to each other. */

export interface MeasureOrder {
  readonly url: string;
  readonly token: string;
  readonly forMs: number;
}

export interface AttackOrder extends MeasureOrder {
  /** Attacks that go on at the same time. */
  readonly names: readonly string[];
}

export interface EngineOrder {
  /** Address of the engine, and the container of the owner who is measured. */
  readonly host: string;
  readonly container: string;
  readonly forMs: number;
}

export const kinds = ['exec', 'list', 'file', 'health'] as const;
export type Kind = (typeof kinds)[number];

export interface Measured {
  /** In milliseconds. */
  readonly times: Readonly<Record<Kind, number[]>>;
  readonly failures: readonly string[];
}

/** Answers by their status, and what broke off by its code. */
export type Answered = Readonly<Record<string, number>>;
