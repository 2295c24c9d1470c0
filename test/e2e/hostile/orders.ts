/** What the test and its two programs say to each other. */

export interface MeasureOrder {
  readonly url: string;
  readonly token: string;
  readonly forMs: number;
}

export interface AttackOrder extends MeasureOrder {
  /** Of the attacks, which go on at the same time. */
  readonly names: readonly string[];
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
