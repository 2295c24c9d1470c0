/** What goes wrong on purpose, asked for by tests. */
import { z } from 'zod';
import { ApiError } from './refuse.ts';

const matching = { match: z.string().max(200).optional(), times: z.number().int().min(1).max(100_000).optional() };
const ms = z.number().int().min(0).max(600_000);

/** One request on the socket of faults is one of these. `match` is a part of `METHOD /path`; `times` is 1 unless given. */
export const faultSchema = z.discriminatedUnion('fault', [
  z.strictObject({ fault: z.literal('latency'), ms }),
  z.strictObject({ fault: z.literal('transitions'), ms }),
  z.strictObject({ fault: z.literal('throttle'), retryAfterSeconds: z.number().int().min(0).max(600), ...matching }),
  z.strictObject({ fault: z.literal('unavailable'), ...matching }),
  z.strictObject({ fault: z.literal('drop-before'), ...matching }),
  z.strictObject({ fault: z.literal('drop-after'), ...matching }),
  z.strictObject({ fault: z.literal('duplicate'), ...matching }),
  z.strictObject({
    fault: z.literal('cut'),
    afterBytes: z
      .number()
      .int()
      .min(0)
      .max(2 ** 31),
    times: matching.times,
  }),
  /** What the account's organization lets through, whatever a request says: names, as `domainAllowList` has them. */
  z.strictObject({ fault: z.literal('organization'), domains: z.string().max(1000) }),
  z.strictObject({ fault: z.literal('restart') }),
  z.strictObject({ fault: z.literal('expire-token') }),
  z.strictObject({ fault: z.literal('renew-token') }),
  z.strictObject({ fault: z.literal('end-sandbox'), sandbox: z.string().max(100) }),
  z.strictObject({
    fault: z.literal('advance-clock'),
    ms: z
      .number()
      .int()
      .min(0)
      .max(2 ** 40),
  }),
  z.strictObject({ fault: z.literal('none') }),
]);

export type Fault = z.infer<typeof faultSchema>;
type Kind = Fault['fault'];

interface Pending {
  readonly kind: Kind;
  readonly match: string;
  readonly retryAfterSeconds: number;
  left: number;
}

export class Faults {
  /** One round trip takes so much longer. */
  latencyMs = 0;
  transitionMs = 50;
  tokenExpired = false;
  domains: string | null = null;
  #pending: Pending[] = [];
  #cuts: number[] = [];

  /** Those that concern single requests; the others are acted on by the emulator. */
  plan(fault: Fault): void {
    if (fault.fault === 'none') {
      this.latencyMs = 0;
      this.transitionMs = 50;
      this.#pending = [];
      this.#cuts = [];
    }
    if (fault.fault === 'none') this.domains = null;
    if (fault.fault === 'organization') this.domains = fault.domains;
    if (fault.fault === 'latency') this.latencyMs = fault.ms;
    if (fault.fault === 'transitions') this.transitionMs = fault.ms;
    if (fault.fault === 'expire-token') this.tokenExpired = true;
    if (fault.fault === 'renew-token' || fault.fault === 'none') this.tokenExpired = false;
    if (fault.fault === 'cut') this.#cuts.push(...Array.from({ length: fault.times ?? 1 }, () => fault.afterBytes));
    if ('match' in fault || ['throttle', 'unavailable', 'drop-before', 'drop-after', 'duplicate'].includes(fault.fault))
      this.#pending.push({
        kind: fault.fault,
        match: ('match' in fault ? fault.match : undefined) ?? '',
        retryAfterSeconds: fault.fault === 'throttle' ? fault.retryAfterSeconds : 0,
        left: ('times' in fault ? fault.times : undefined) ?? 1,
      });
  }

  /** What happens to this request beside being answered. Throws the answer where it is not. */
  take(line: string): 'drop-before' | 'drop-after' | 'duplicate' | null {
    const found = this.#pending.find(({ match, left }) => left > 0 && line.includes(match));
    if (found === undefined) return null;
    found.left -= 1;
    this.#pending = this.#pending.filter(({ left }) => left > 0);
    if (found.kind === 'throttle')
      throw new ApiError(429, 'Too Many Requests', { headers: { 'retry-after': String(found.retryAfterSeconds) } });
    if (found.kind === 'unavailable') throw new ApiError(503, 'Service Unavailable');
    return found.kind === 'drop-before' || found.kind === 'drop-after' || found.kind === 'duplicate'
      ? found.kind
      : null;
  }

  /** After how many bytes the next stream is cut off. */
  nextCut(): number | null {
    return this.#cuts.shift() ?? null;
  }
}
