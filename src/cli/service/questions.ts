/** Questions of a service, asked on the terminal of this process and answered with the token that answers. */
import type { ApprovalView, Approver, Choice, Options, Question } from '../../service/api.ts';
import type { Settled } from '../../guard/types.ts';
import { isCode, toCaissonError } from '../../errors.ts';
import { readAnswer } from '../../policy/approval/answer.ts';

export interface Answering {
  /** Reads the state in which a question is now. */
  readonly get: (id: string, options?: Options) => Promise<ApprovalView>;
  readonly answer: (id: string, choice: Choice) => Promise<void>;
  /** On the terminal of the caller. */
  readonly approver: Approver;
  readonly say: (text: string) => void;
}

/** An answer from elsewhere is seen so soon. */
const lookMs = 300;

export interface Awaiting {
  /** The caller wants to stop. */
  readonly signal?: AbortSignal | undefined;
  /** Fires when the command runs, or was refused: the question is over, and how is said at once. */
  readonly begun: AbortSignal;
}

/** Never rejects: without an answer the service refuses the command when the time of the question is over. */
export async function answerQuestion(id: string, answering: Answering, awaiting: Awaiting): Promise<void> {
  try {
    const view = await answering.get(id);
    const question = questionOf(view);
    const over = new AbortController();
    const settled = settledOf(view, answering, { over, ...awaiting });
    const words = await answering.approver(question, { signal: over.signal, settled });
    if (over.signal.aborted) return;
    over.abort();
    await answering.answer(id, readAnswer(words, question.choices));
  } catch (error) {
    // It was answered elsewhere in the same moment, or its command is gone.
    if (isCode(error, 'conflict') || isCode(error, 'not_found')) return;
    answering.say(`the answer did not reach the service: ${toCaissonError(error).message}`);
  }
}

interface Waiting extends Awaiting {
  readonly over: AbortController;
}

/** Fires `over` when no answer is awaited any more. */
async function settledOf({ id }: ApprovalView, { get }: Answering, { over, signal, begun }: Waiting): Promise<Settled> {
  while (!over.signal.aborted) {
    await waitForNextPoll(begun);
    const found = signal?.aborted === true ? null : await get(id).catch(() => null);
    if (found?.state === 'pending' && !begun.aborted) continue;
    over.abort();
    return { outcome: found?.choice ?? 'canceled', elsewhere: found?.answeredBy ?? null };
  }
  return { outcome: 'canceled', elsewhere: null };
}

function waitForNextPoll(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, lookMs);
    signal.addEventListener('abort', end);
  });
}

/** What the question on a terminal shows of it. */
function questionOf({ findings, choices, display, ...view }: ApprovalView): Question {
  return {
    ...view,
    display,
    command: display,
    reach: 'host',
    tier: 'dangerous',
    expiresAt: 0,
    choices: everyChoice.filter((choice) => choices.includes(choice)),
    findings: findings.map((description) => ({ rule: '', description, start: 0, end: 0 })),
  };
}

const everyChoice: readonly Choice[] = ['once', 'session', 'always', 'deny'];
