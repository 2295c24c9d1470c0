/**
 * Where questions lie until somebody answers: a row each, so that other processes see them, and so that a crash leaves
 * a question without a waiter, which can never become a yes.
 */
import { CaissonError } from '../errors.ts';
import { readAnswer } from '../policy/approval/answer.ts';
import type { ApprovalRow, Store } from '../store/store.ts';
import type { StepOptions } from '../sandbox/context.ts';
import type { Outcome } from './questions.ts';
import { isInside } from './inside.ts';
import type { Approver, Choice, Question } from './types.ts';

type Kept = Pick<
  Store,
  | 'insertApproval'
  | 'answerApproval'
  | 'useApproval'
  | 'approval'
  | 'pendingApprovals'
  | 'acquire'
  | 'release'
  | 'holder'
>;

const lease = (id: string): string => `approval:${id}`;
const lookEveryMs = 200;
const everyChoice: readonly Choice[] = ['once', 'session', 'always', 'deny'];

export class ApprovalQueue {
  readonly #store: Kept;

  constructor(store: Kept) {
    this.#store = store;
  }

  /** Waits for the first answer, here or from another process, and uses it up. */
  async put(
    { question, binding }: { readonly question: Question; readonly binding: string },
    { approver, timeoutMs }: { readonly approver: Approver | null; readonly timeoutMs: number },
    options: StepOptions,
  ): Promise<Outcome> {
    const { id, taskId, command: _command, ...shown } = question;
    const row = {
      id,
      binding,
      taskId,
      question: { ...shown },
      state: 'pending',
      choice: null,
      answeredBy: null,
    } as const;
    await this.#store.acquire(lease(id));
    try {
      await this.#store.insertApproval({ ...row, createdAt: Date.now() });
      return await this.#settled(question, binding, await this.#first(question, { approver, timeoutMs }, options));
    } finally {
      await this.#store.release(lease(id));
    }
  }

  /** Questions that somebody still waits for, first asked first. What its asker did not live to see answered is a no. */
  async list(): Promise<readonly ApprovalRow[]> {
    const rows = await this.#store.pendingApprovals();
    const waiting = await Promise.all(rows.map(async (row) => ((await this.#isAwaited(row)) ? [row] : [])));
    return waiting.flat();
  }

  /**
   * Throws `not_found`, `conflict` when it is too late, `permission_denied` from inside a command, `invalid_argument` for
   * an answer that the question does not offer.
   */
  async answer(id: string, choice: Choice, by: { readonly name: string; readonly env: Environment }): Promise<void> {
    if (isInside(by.env)) throw ownAnswer(id);
    const row = await this.#store.approval(id);
    if (row === null) throw new CaissonError('not_found', `there is no question ${id.slice(0, 64)}`);
    const { choices } = row.question;
    if (choice !== 'deny' && !(Array.isArray(choices) && choices.includes(choice)))
      throw new CaissonError('invalid_argument', `${id} cannot be answered with ${choice}`, { details: { choices } });
    const state = choice === 'deny' ? 'denied' : 'approved';
    const inTime = row.state === 'pending' && (await this.#isAwaited(row));
    if (!inTime || !(await this.#store.answerApproval(id, { state, choice, by: by.name.slice(0, 200) })))
      throw new CaissonError('conflict', `${id} is not open any more`, { remedy: 'caisson approvals ls' });
  }

  async #isAwaited({ id }: ApprovalRow): Promise<boolean> {
    if ((await this.#store.holder(lease(id)))?.alive === true) return true;
    await this.#store.answerApproval(id, { state: 'denied', choice: 'lost', by: 'no process waits for it' });
    return false;
  }

  async #first(
    question: Question,
    { approver, timeoutMs }: { readonly approver: Approver | null; readonly timeoutMs: number },
    { signal }: StepOptions,
  ): Promise<Outcome> {
    const over = new AbortController();
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    // A timer is monotonic, whatever the clock of the host does.
    const late = setTimeout(() => resolve('timed-out'), timeoutMs);
    const look = setInterval(() => {
      // A store that cannot be read now is read again in a moment; until then there is no answer.
      this.#elsewhere(question.id).then(
        (outcome) => outcome !== null && resolve(outcome),
        () => undefined,
      );
    }, lookEveryMs);
    const canceled = (): void => resolve('canceled');
    signal?.addEventListener('abort', canceled, { once: true });
    // A failure to answer is not a yes.
    approver?.(question, { signal: over.signal }).then(
      (answer) => resolve(readAnswer(answer, question.choices)),
      () => resolve('deny'),
    );
    try {
      return await promise;
    } finally {
      clearTimeout(late);
      clearInterval(look);
      signal?.removeEventListener('abort', canceled);
      over.abort();
    }
  }

  async #elsewhere(id: string): Promise<Choice | null> {
    const row = await this.#store.approval(id);
    if (row === null) return 'deny';
    return row.state === 'pending' ? null : (everyChoice.find((choice) => choice === row.choice) ?? 'deny');
  }

  /** The first answer that was written down counts, also against the one that came first here. */
  async #settled({ id }: Question, binding: string, outcome: Outcome): Promise<Outcome> {
    const isYes = outcome === 'once' || outcome === 'session' || outcome === 'always';
    const state = isYes ? 'approved' : 'denied';
    const written = await this.#store.answerApproval(id, { state, choice: outcome, by: 'the one who was asked' });
    const counts = written ? outcome : ((await this.#elsewhere(id)) ?? 'deny');
    if (counts !== 'once' && counts !== 'session' && counts !== 'always') return counts;
    return (await this.#store.useApproval(id, binding)) ? counts : 'deny';
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

function ownAnswer(id: string): CaissonError {
  return new CaissonError('permission_denied', `${id.slice(0, 64)} cannot be answered by a command that Caisson runs`, {
    remedy: 'answer from a terminal of your own',
  });
}
