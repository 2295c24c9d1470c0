/**
 * Questions of clients of the service. Each waits on its own, so that none holds up those of others; one that its client does
 * not wait for keeps its answer until the call is repeated. All of it ends with the process, and what has no answer then is a no.
 */
import type { Budget } from '../budget/types.ts';
import { CaissonError } from '../errors.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../values/caller.ts';
import type { Outcome } from './questions.ts';

const maxPerTask = 32;
const lookMs = 300;

export interface RemoteQuestion {
  readonly caller: Caller;
  readonly taskId: string;
  readonly execId: string | null;
  readonly binding: string;
  /** False: the caller wants the id of the question, and comes back for the answer. */
  readonly waits: boolean;
  readonly signal: AbortSignal | undefined;
}

interface Put {
  readonly signal: AbortSignal;
  /** To be called when the question is on record. */
  readonly onAsked: (id: string) => void;
}

interface HeldQuestion {
  readonly taskId: string;
  readonly ending: AbortController;
  readonly asked: Promise<string | null>;
  readonly outcome: Promise<Outcome>;
  settled: Outcome | null;
}

export class RemoteQuestions {
  readonly #held = new Map<string, HeldQuestion>();
  #isClosed = false;
  readonly #open: Budget;
  /** How long an answer is kept for a caller that does not come back. */
  readonly #keepMs: () => number;

  /** `open`: the questions that owners may have open. */
  constructor(open: Budget, keepMs: () => number) {
    this.#open = open;
    this.#keepMs = keepMs;
  }

  /**
   * Throws `approval_required` with the id of the question where the caller does not wait, and `resource_exhausted` where its owner
   * has too many open.
   */
  async ask(question: RemoteQuestion, put: (how: Put) => Promise<Outcome>): Promise<Outcome> {
    if (this.#isClosed) return 'lost';
    const key = keyOf(question);
    const before = this.#held.get(key);
    const held = before ?? this.#begin(key, question, put);
    if (held === null) return 'too-many';
    if (!question.waits) {
      const id = await held.asked;
      // An answer from another process is seen a moment after it was given.
      if (before !== undefined) await Promise.race([held.outcome, sleep(lookMs)]);
      if (held.settled === null && id !== null) throw approvalPendingError(id);
      return await this.#taken(key, held);
    }
    const left = (): void => held.ending.abort();
    question.signal?.addEventListener('abort', left, { once: true });
    try {
      if (question.signal?.aborted === true) left();
      return await this.#taken(key, held);
    } finally {
      question.signal?.removeEventListener('abort', left);
    }
  }

  /** Refuses all that waits, and all that is asked from now on: a caller whose question was given up asks again. */
  close(): void {
    this.#isClosed = true;
    for (const { ending } of this.#held.values()) ending.abort();
    this.#held.clear();
  }

  #begin(key: string, { caller, taskId }: RemoteQuestion, put: (how: Put) => Promise<Outcome>): HeldQuestion | null {
    const ofTask = [...this.#held.values()].filter((each) => each.taskId === taskId).length;
    if (ofTask >= maxPerTask) return null;
    const share = this.#open.take(caller.owner);
    const ending = new AbortController();
    const { promise: asked, resolve } = Promise.withResolvers<string | null>();
    const outcome = put({ signal: ending.signal, onAsked: resolve });
    const held: HeldQuestion = { taskId, ending, asked, outcome, settled: null };
    this.#held.set(key, held);
    outcome
      .then(
        (answer) => (held.settled = answer),
        () => (held.settled = 'deny'),
      )
      .finally(() => {
        // One that is answered is open no more, though its answer is kept.
        share.free();
        resolve(null);
        setTimeout(() => this.#forget(key, held), this.#keepMs()).unref();
      });
    return held;
  }

  async #taken(key: string, held: HeldQuestion): Promise<Outcome> {
    try {
      return await held.outcome;
    } finally {
      this.#forget(key, held);
    }
  }

  #forget(key: string, held: HeldQuestion): void {
    if (this.#held.get(key) === held) this.#held.delete(key);
  }
}

const keyOf = ({ caller, execId, binding }: RemoteQuestion): string =>
  JSON.stringify([caller.owner, caller.token, execId, binding]);

function approvalPendingError(approvalId: string): CaissonError {
  return new CaissonError('approval_required', 'this needs an approval, and waits for its answer', {
    details: { approvalId, reason: 'pending' },
    remedy: 'send the same request with the same execId again when it has been answered',
  });
}
