/** Which request of the agent a question of the guard is about: the session to ask in travels with the asynchronous work. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Approver, Question } from '../guard/types.ts';
import type { Editor } from './editor.ts';
import { choiceOf } from './permission.ts';
import { commandQuestion } from './question.ts';

export interface AskedSession {
  readonly sessionId: string;
  /** The user has seen the diff of this very write and allowed it. */
  approvedEdit: boolean;
}

export class Asking {
  readonly #current = new AsyncLocalStorage<AskedSession>();
  /** There is one as soon as messages pass. */
  editor: Editor | null = null;

  async during<T>(sessionId: string, work: (asked: AskedSession) => Promise<T>): Promise<T> {
    const asked: AskedSession = { sessionId, approvedEdit: false };
    return await this.#current.run(asked, async () => await work(asked));
  }

  /** Asks the user of the editor. What belongs to no session of it is refused. */
  readonly approver: Approver = async (question, { signal }) => {
    const asked = this.#current.getStore();
    if (asked === undefined || this.editor === null) return 'deny';
    if (asked.approvedEdit && isAnsweredByDiff(question)) return 'once';
    const answer = await this.editor.ask(commandQuestion(asked.sessionId, question), signal);
    return choiceOf(answer, question.choices);
  };
}

/** A rule or a mode wants the write asked for, which it was; what is known to be dangerous is another question. */
function isAnsweredByDiff({ diff, tier }: Question): boolean {
  return diff !== null && (tier === 'rule' || tier === 'mode');
}
