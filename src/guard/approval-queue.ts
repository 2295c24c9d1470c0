/**
 * A queue of open questions: a row each, so that other processes see them, and so that a crash leaves
 * a question without a waiter, which can never become a yes.
 */
import { CaissonError } from '../errors.ts';
import { readAnswer } from '../policy/approval/answer.ts';
import { created, everyRow } from '../store/pages.ts';
import type { ApprovalRow, Store } from '../store/store.ts';
import type { StepOptions } from '../sandbox/context.ts';
import type { Outcome } from './questions.ts';
import { type Caller, operator } from '../values/caller.ts';
import { isInside } from './inside.ts';
import { networkAsked } from '../egress/question.ts';
import type { Approver, Question, Settled } from './types.ts';
import type { Choice } from '../values/choice.ts';

type ApprovalStore = Pick<Store, 'approvals' | 'leases'>;

const lease = (id: string): string => `approval:${id}`;
const lookEveryMs = 200;
const everyChoice: readonly Choice[] = ['once', 'session', 'always', 'deny'];
/** Who answered, where it was the approver of this process. */
const here = 'the one who was asked';

interface Answer {
  readonly outcome: Outcome;
  readonly by: string;
}

export class ApprovalQueue {
  readonly #store: ApprovalStore;
  /** Looks for the answer to a question of this process. */
  readonly #looks = new Map<string, () => void>();

  constructor(store: ApprovalStore) {
    this.#store = store;
  }

  /** Waits for the first answer, here or from another process, and uses it up. */
  async put(
    { question, binding }: { readonly question: Question; readonly binding: string },
    { approver, timeoutMs }: { readonly approver: Approver | null; readonly timeoutMs: number },
    options: StepOptions,
  ): Promise<Answer> {
    const { id, taskId, command: _command, ...shown } = question;
    const row = {
      id,
      binding,
      taskId,
      question: { ...shown },
      state: 'pending',
      choice: null,
      answeredBy: null,
      askedBy: asker(options.caller),
    } as const;
    await this.#store.leases.acquire(lease(id));
    try {
      await this.#store.approvals.insert({ ...row, createdAt: Date.now() });
      options.question?.onAsked?.(id);
      return await this.#settled(question, binding, await this.#first(question, { approver, timeoutMs }, options));
    } finally {
      await this.#store.leases.release(lease(id));
    }
  }

  /**
   * Questions that can be answered, first asked first. What its asker did not live to see answered is a no; no process waits for one
   * about the network.
   */
  async list(caller?: Caller): Promise<readonly ApprovalRow[]> {
    const pending = everyRow((page) => this.#store.approvals.pending(page), created);
    const rows = (await Array.fromAsync(pending)).filter((row) => concerns(row, caller));
    const waiting = await Promise.all(rows.map(async (row) => ((await this.#isAwaited(row)) ? [row] : [])));
    return waiting.flat();
  }

  /** Answered or not. Throws `not_found`, also for what another owner asked. */
  async get(id: string, caller: Caller | undefined): Promise<ApprovalRow> {
    const row = await this.#store.approvals.find(id);
    if (row === null || !concerns(row, caller)) throw noQuestionError(id);
    return row;
  }

  /**
   * Answers what was asked. Throws `not_found`, `conflict` when it is too late, `permission_denied` from inside a command, `invalid_argument` for
   * an answer that the question does not offer.
   */
  async answer(id: string, choice: Choice, by: Answering): Promise<ApprovalRow> {
    if (isInside(by.env)) throw ownAnswerError(id);
    const row = await this.get(id, by.caller);
    if (by.caller !== undefined && row.askedBy?.token === by.caller.token) throw ownTokenError(id);
    const { choices } = row.question;
    if (choice !== 'deny' && !(Array.isArray(choices) && choices.includes(choice)))
      throw new CaissonError('invalid_argument', `${id} cannot be answered with ${choice}`, { details: { choices } });
    const state = choice === 'deny' ? 'denied' : 'approved';
    const inTime = row.state === 'pending' && (await this.#isAwaited(row));
    if (!inTime || !(await this.#store.approvals.answer(id, { state, choice, by: by.name.slice(0, 200) })))
      throw new CaissonError('conflict', `${id} is not open any more`, { remedy: 'caisson approvals ls' });
    this.#looks.get(id)?.();
    return row;
  }

  async #isAwaited(row: ApprovalRow): Promise<boolean> {
    const { id, question } = row;
    if (networkAsked(row) !== null && Number(question['expiresAt']) > Date.now()) return true;
    if ((await this.#store.leases.holder(lease(id)))?.alive === true) return true;
    await this.#store.approvals.answer(id, { state: 'denied', choice: 'lost', by: 'no process waits for it' });
    return false;
  }

  async #first(
    question: Question,
    { approver, timeoutMs }: { readonly approver: Approver | null; readonly timeoutMs: number },
    { signal }: StepOptions,
  ): Promise<Outcome> {
    const over = new AbortController();
    const { promise: settled, resolve } = Promise.withResolvers<Settled & { readonly outcome: Outcome }>();
    const settle = (outcome: Outcome, elsewhere: string | null = null): void => {
      resolve({ outcome, elsewhere });
      over.abort();
    };
    // A timer is monotonic, whatever the clock of the host does.
    const late = setTimeout(() => settle('timed-out'), timeoutMs);
    // A store that cannot be read now is read again in a moment; the question stays open until then.
    const lookNow = (): void =>
      void this.#elsewhere(question.id).then(
        (answer) => answer !== null && settle(answer.outcome, answer.by),
        () => undefined,
      );
    const look = setInterval(lookNow, lookEveryMs);
    this.#looks.set(question.id, lookNow);
    const canceled = (): void => settle('canceled');
    signal?.addEventListener('abort', canceled, { once: true });
    // A failure to answer is not a yes.
    approver?.(question, { signal: over.signal, settled }).then(
      (answer) => settle(readAnswer(answer, question.choices)),
      () => settle('deny'),
    );
    try {
      return (await settled).outcome;
    } finally {
      clearTimeout(late);
      clearInterval(look);
      this.#looks.delete(question.id);
      signal?.removeEventListener('abort', canceled);
    }
  }

  async #elsewhere(id: string): Promise<(Answer & { readonly outcome: Choice }) | null> {
    const row = await this.#store.approvals.find(id);
    if (row?.state === 'pending') return null;
    const outcome = everyChoice.find((choice) => choice === row?.choice) ?? 'deny';
    return { outcome, by: row?.answeredBy ?? 'another process' };
  }

  /** The first answer that was written down counts, also against the one that came first here. */
  async #settled({ id }: Question, binding: string, outcome: Outcome): Promise<Answer> {
    const isYes = outcome === 'once' || outcome === 'session' || outcome === 'always';
    const state = isYes ? 'approved' : 'denied';
    const written = await this.#store.approvals.answer(id, { state, choice: outcome, by: here });
    const counts = written ? { outcome, by: here } : await this.#elsewhere(id);
    if (counts?.outcome !== 'once' && counts?.outcome !== 'session' && counts?.outcome !== 'always')
      return counts ?? { outcome: 'deny', by: here };
    return (await this.#store.approvals.use(id, binding)) ? counts : { ...counts, outcome: 'deny' };
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Answering {
  readonly name: string;
  readonly env: Environment;
  /** Absent: the holder of the state directory. */
  readonly caller?: Caller | undefined;
}

/** Whether a caller may know of a question. What was asked without a token belongs to the operator. */
function asker(caller: Caller | undefined): Caller | null {
  return caller === undefined ? null : { owner: caller.owner, token: caller.token };
}

function concerns({ askedBy }: ApprovalRow, caller: Caller | undefined): boolean {
  return caller === undefined || caller.holdsHome === true || (askedBy?.owner ?? operator) === caller.owner;
}

export function noQuestionError(id: string): CaissonError {
  return new CaissonError('not_found', `there is no question ${id.slice(0, 64)}`);
}

function ownTokenError(id: string): CaissonError {
  return new CaissonError('permission_denied', `the token that asked ${id} may not answer it`, {
    remedy: 'answer with another token, or with `caisson approvals` on the host of the service',
  });
}

export function ownAnswerError(id: string): CaissonError {
  return new CaissonError('permission_denied', `${id.slice(0, 64)} cannot be answered by a command that Caisson runs`, {
    remedy: 'answer from a terminal of your own',
  });
}
