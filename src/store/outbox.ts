/** Events that wait for their delivery to webhooks. Part of the contract of the store. */

export interface Endpoint {
  readonly name: string;
  /** Types of events. */
  readonly events: readonly string[];
}

export interface Delivery {
  /** `evt_` and 24 hexadecimal digits: the same at each attempt, so that a receiver knows what it has. */
  readonly id: string;
  readonly endpoint: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Milliseconds since the epoch, by the clock of the database. */
  readonly happenedAt: number;
  /** Those that failed. */
  readonly attempts: number;
}

export interface Attempt {
  /** Moment of the next try, by `steadyNow`. `null`: the event is given up, and kept for a report. */
  readonly nextAt: number | null;
  /** For people. */
  readonly failure: string;
}

export interface Outbox {
  /** Makes these the endpoints. What waits for others is forgotten. */
  setEndpoints(endpoints: readonly Endpoint[]): Promise<void>;
  /** The oldest for an endpoint whose time has come. */
  due(endpoint: string, nowMs: number, max: number): Promise<readonly Delivery[]>;
  /** It has arrived. Idempotent. */
  delivered(id: string): Promise<void>;
  failed(id: string, attempt: Attempt): Promise<void>;
  /** How many were given up, by endpoint. */
  givenUp(): Promise<Readonly<Record<string, number>>>;
  /** Forgets the oldest beyond a number, and what was given up before a moment. */
  trim(max: number, beforeMs: number): Promise<void>;
}
