/** What sandboxes have used, kept beside them by the minute, so that it outlives a service. Part of the contract of the store. */

export interface SampleRow {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** Their number is one for all rows of a kind. NaN: not known. */
  readonly values: readonly number[];
}

export interface SampleMinute {
  readonly sandboxId: string;
  /** Kept for an hour. */
  readonly readings: readonly SampleRow[];
  /** What stands for all of them, at the beginning of the minute. Kept for a day. */
  readonly minute: SampleRow;
}

export interface KeptSamples {
  readonly readings: readonly SampleRow[];
  readonly minutes: readonly SampleRow[];
}

export interface SampleStore {
  /** Takes the place of what was written of the same minute. Leaves out minutes of sandboxes that are gone. */
  add(minutes: readonly SampleMinute[]): Promise<void>;
  /** Those of this minute and later ones, oldest first. They go with their sandbox. */
  of(sandboxId: string, sinceMs: number): Promise<KeptSamples>;
}
