/** One look of a lane at the processes that hold its streams. */
export interface Look {
  readonly nonce: string;
  readonly answer: Promise<Looked | null>;
}

export interface Looked {
  readonly seen: readonly number[];
  readonly suspects: readonly number[];
  /** `null`: no process holds a stream. */
  readonly next: Look | null;
}
