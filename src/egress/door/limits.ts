/** Bounds of what a sandbox may ask of the proxy. */

export interface DoorLimits {
  /** Connections of one sandbox at once; more are closed as they come. */
  readonly maxConnections: number;
  /** For the head of a request, and for the TLS hello. */
  readonly headTimeoutMs: number;
  readonly maxHeadBytes: number;
  readonly lookupTimeoutMs: number;
  /** Lookups of one sandbox at once; the others wait. */
  readonly maxLookups: number;
  /** For one address. */
  readonly connectTimeoutMs: number;
  /** For the head of the answer to a plain request. */
  readonly answerTimeoutMs: number;
  /** Without a byte in either direction. */
  readonly idleTimeoutMs: number;
}

export const defaultLimits: DoorLimits = {
  maxConnections: 512,
  headTimeoutMs: 10_000,
  maxHeadBytes: 16 * 1024,
  lookupTimeoutMs: 10_000,
  maxLookups: 2,
  connectTimeoutMs: 10_000,
  answerTimeoutMs: 120_000,
  idleTimeoutMs: 15 * 60_000,
};
