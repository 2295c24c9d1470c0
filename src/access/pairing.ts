/**
 * Codes that strangers get, and people approve. Several processes share the files: each change is made under one lease,
 * from what the files say then.
 */
import { randomBytes } from 'node:crypto';
import type { Audit } from '../audit/types.ts';
import { withLease } from '../sandbox/lease.ts';
import type { Store } from '../store/store.ts';
import { newCode, sealed } from './code.ts';
import type { PairingFiles } from './files.ts';
import type { RefusalLog } from './log.ts';
import { askedLately, type PairingAttempts, lockedUntil, withAsked, withFailure, withSuccess } from './limits.ts';
import { lockedOutError, noRequestError, notPairedError } from './refusals.ts';
import { lifeMs, live, matching, maxPending, type Paired, type Request, without, withPaired } from './requests.ts';
import type { Sender, Silence } from './types.ts';

export interface PairingDependencies {
  readonly files: PairingFiles;
  readonly store: Store;
  readonly audit: Audit;
  readonly log: RefusalLog;
  readonly nowMs: () => number;
}

export type PairingAnswer =
  | { readonly code: string; readonly expiresAt: number }
  | { readonly code: null; readonly why: Silence };

const timeoutMs = 10_000;
const maxByUnits = 200;

export class Pairing {
  readonly #parts: PairingDependencies;

  constructor(parts: PairingDependencies) {
    this.#parts = parts;
  }

  /** Ids, read anew: a revocation anywhere counts from the next message on. */
  async paired(platform: string): Promise<ReadonlySet<string>> {
    return new Set((await this.#parts.files.approved(platform)).flatMap(({ ids }) => ids));
  }

  /** A new request takes the place of an older one of the same person: one stranger alone never fills the list. */
  async ask(platform: string, { ids, name }: Sender): Promise<PairingAnswer> {
    const { files, nowMs } = this.#parts;
    return await this.#alone(async () => {
      const [now, limits] = [nowMs(), await files.limits()];
      if (lockedUntil(limits, platform, now) !== null) return { code: null, why: 'locked-out' };
      if (askedLately(limits, { platform, ids }, now)) return { code: null, why: 'asked-lately' };
      const others = without(live(await files.pending(platform), now), ids);
      if (others.length >= maxPending) return { code: null, why: 'too-many-pending' };
      const code = newCode();
      const id = randomBytes(8).toString('hex');
      // First what limits: a crash in between costs ten minutes, and opens nothing.
      await files.writeLimits(withAsked(limits, { platform, ids }, now));
      await files.writePending(platform, [...others, { id, ids, name: name ?? null, createdAt: now, ...sealed(code) }]);
      return { code, expiresAt: now + lifeMs };
    });
  }

  /** Throws `resource_exhausted` while nothing is approved there, and `not_found`, which counts, for a wrong code. */
  async approve(platform: string, typed: string, by: string): Promise<Paired> {
    const { files, audit, log, nowMs } = this.#parts;
    return await this.#alone(async () => {
      const [now, limits] = [nowMs(), await files.limits()];
      const refused = { what: 'approve', platform, by: by.slice(0, maxByUnits) } as const;
      const until = lockedUntil(limits, platform, now);
      if (until !== null) {
        await log.write({ ...refused, why: 'locked-out' });
        throw lockedOutError(platform, until);
      }
      const [requests, users] = [live(await files.pending(platform), now), await files.approved(platform)];
      const request = matching(requests, typed);
      if (request === null) {
        await log.write({ ...refused, why: 'wrong-code' });
        throw await this.#refused(platform, limits, now);
      }
      const user = grant(request, { by, now });
      await audit.record({ ...this.#fact('granted', platform, user.ids), request: request.id, by: user.by });
      // First the code is used up: a crash in between pairs no user.
      await files.writePending(platform, without(requests, user.ids));
      await files.writeApproved(platform, withPaired(users, user));
      await files.writeLimits(withSuccess(limits, platform));
      return user;
    });
  }

  /** Ends the pairing of a person by any of their ids. Also takes back a request that waits. Throws `not_found`. */
  async revoke(platform: string, id: string, by: string): Promise<Paired> {
    const { files, audit } = this.#parts;
    return await this.#alone(async () => {
      const users = await files.approved(platform);
      const user = users.find(({ ids }) => ids.includes(id));
      if (user === undefined) throw notPairedError(platform, id);
      // Not first on record: an audit that cannot be written must not keep a user paired.
      await files.writeApproved(platform, without(users, user.ids));
      try {
        await this.#withdraw(platform, user.ids);
      } finally {
        await audit.record({ ...this.#fact('revoked', platform, user.ids), by: by.slice(0, maxByUnits) });
      }
      return user;
    });
  }

  /** Answers how many requests waited. */
  async clear(platforms: readonly string[]): Promise<number> {
    const { files, nowMs } = this.#parts;
    return await this.#alone(async () => {
      let cleared = 0;
      for (const platform of platforms) {
        const requests = await files.pending(platform);
        if (requests.length > 0) await files.writePending(platform, []);
        cleared += live(requests, nowMs()).length;
      }
      return cleared;
    });
  }

  async pending(platform: string): Promise<readonly Request[]> {
    return live(await this.#parts.files.pending(platform), this.#parts.nowMs());
  }

  async lockouts(): Promise<readonly { readonly platform: string; readonly until: number }[]> {
    const now = this.#parts.nowMs();
    const limits = await this.#parts.files.limits();
    return limits.attempts.flatMap(({ platform }) => {
      const until = lockedUntil(limits, platform, now);
      return until === null ? [] : [{ platform, until }];
    });
  }

  async #withdraw(platform: string, ids: readonly string[]): Promise<void> {
    const requests = await this.#parts.files.pending(platform);
    const others = without(requests, ids);
    if (others.length < requests.length) await this.#parts.files.writePending(platform, others);
  }

  async #refused(platform: string, before: PairingAttempts, now: number): Promise<Error> {
    const { files, audit } = this.#parts;
    const limits = withFailure(before, platform, now);
    await files.writeLimits(limits);
    const until = lockedUntil(limits, platform, now);
    if (until === null) return noRequestError(platform, limits);
    await audit.record({ ...this.#fact('locked-out', platform, []), until: new Date(until).toISOString() });
    return lockedOutError(platform, until);
  }

  #fact(what: 'granted' | 'revoked' | 'locked-out', platform: string, user: readonly string[]) {
    return { type: 'access', taskId: null, execId: null, what, platform, user } as const;
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    return await withLease(this.#parts.store, 'pairing', { waitMs: timeoutMs }, work);
  }
}

function grant({ ids, name }: Request, { by, now }: { readonly by: string; readonly now: number }): Paired {
  return { ids, name, pairedAt: now, by: by.slice(0, maxByUnits) };
}
