/** Whether the cluster applies network policies, as a trial has shown, kept for the processes that follow: a trial takes seconds. */
import { createHash } from 'node:crypto';
import type { Cancelable, Kept, OpenOptions } from '../../src/backend.ts';
import { isRecord } from '../shared/labels.ts';
import { tryPolicies } from './canary.ts';
import type { Here } from './here.ts';
import { policiesOf } from './network.ts';
import { untried, type Verdict, verdictFrom } from './verdict.ts';

export interface Proof {
  readonly verdict: Verdict;
  /** `null`: there was no trial. */
  readonly triedAtMs: number | null;
}

const name = 'policies';
const hourMs = 3_600_000;
/** A network plugin may be installed, and another one too. A cluster that did not answer may do so soon. */
const recentMs = { proved: 24 * hourMs, not: hourMs, passing: 300_000 } as const;

/** Names the cluster, the namespace and the content of the policies: a verdict does not hold for others. */
export function subjectOf(
  { server, namespace }: { readonly server: string; readonly namespace: string },
  refusals: OpenOptions['refusals'],
): string {
  const policies = JSON.stringify(policiesOf(refusals).map(({ spec }) => spec));
  return `${server} ${namespace} ${createHash('sha256').update(policies).digest('hex')}`;
}

/** `null`: no recent one is there. */
export function keptProof(kept: Kept | undefined, subject: string, nowMs = Date.now()): Proof | null {
  const value = kept?.read(name);
  if (!isRecord(value) || value['subject'] !== subject) return null;
  const [verdict, triedAtMs] = [verdictFrom(value['verdict']), value['triedAtMs']];
  if (verdict === null || typeof triedAtMs !== 'number') return null;
  const proof = { verdict, triedAtMs };
  return isRecent(proof, nowMs) ? proof : null;
}

function isRecent({ verdict, triedAtMs }: Proof, nowMs: number): boolean {
  // An age below zero: the clock was set back.
  const ageMs = triedAtMs === null ? -1 : nowMs - triedAtMs;
  return ageMs >= 0 && ageMs <= believedMs(verdict);
}

function believedMs(verdict: Verdict): number {
  if (verdict.is === 'proved') return recentMs.proved;
  return mayPass(verdict) ? recentMs.passing : recentMs.not;
}

function mayPass(verdict: Verdict): boolean {
  return verdict.is === 'unknown' && verdict.mayPass;
}

function keep(kept: Kept | undefined, subject: string, { verdict, triedAtMs }: Proof): void {
  if (!mayPass(verdict)) kept?.write(name, { subject, verdict, triedAtMs });
}

/** Trials of one open backend. They end with it, and their pods are removed before it is closed. */
export class Proving {
  readonly #options: Pick<OpenOptions, 'kept' | 'instance'>;
  readonly #try: typeof tryPolicies;
  readonly #running = new Set<Promise<unknown>>();
  #closing = new AbortController();
  #renewing: Promise<Proof> | null = null;
  #last: Proof | null = null;

  constructor(options: Pick<OpenOptions, 'kept' | 'instance'>, trial = tryPolicies) {
    this.#options = options;
    this.#try = trial;
  }

  /**
   * A recent verdict. Where this process has only an old one, that counts until the trial that begins now has ended: no sandbox waits for it.
   */
  async known(here: Here): Promise<Proof> {
    const recent = this.#recent(here);
    if (recent !== null) return recent;
    this.#renewing ??= this.renewed(here, {}).finally(() => (this.#renewing = null));
    if (this.#last === null) return await this.#renewing;
    this.#renewing.catch(() => undefined);
    return this.#last;
  }

  /** The verdict that is there. Makes no trial. */
  lately(here: Here): Proof {
    return this.#recent(here) ?? this.#last ?? { verdict: untried.yet, triedAtMs: null };
  }

  /** Makes a trial. */
  async renewed(here: Here, { signal }: Cancelable): Promise<Proof> {
    const ends = AbortSignal.any([this.#closing.signal, ...(signal === undefined ? [] : [signal])]);
    const trying = this.#try(here, this.#options.instance, ends);
    this.#running.add(trying);
    try {
      const about = subject(here);
      const proof = { verdict: await trying, triedAtMs: Date.now() };
      keep(this.#options.kept, about, proof);
      this.#last = proof;
      return proof;
    } finally {
      this.#running.delete(trying);
    }
  }

  /** Another process may have made a later trial, such as that of a `doctor`. */
  #recent(here: Here): Proof | null {
    const kept = keptProof(this.#options.kept, subject(here));
    const isLater = (this.#last?.triedAtMs ?? 0) > (kept?.triedAtMs ?? 0);
    if (kept !== null && !isLater) this.#last = kept;
    return this.#last !== null && isRecent(this.#last, Date.now()) ? this.#last : null;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
    this.#closing = new AbortController();
  }
}

function subject({ namespace, refusals }: Here): string {
  return subjectOf(namespace.api.access.place, refusals);
}
