/** What is asked for: by what was said before, by who is there, and at last by the answer to a question. */
import { randomBytes } from 'node:crypto';
import type { Budget } from '../budget/types.ts';
import { abortError } from '../errors.ts';
import { choicesFor, grantedBy, mayPassUnseen, unansweredOf } from '../policy/approval/needed.ts';
import { shownCommand } from '../policy/approval/display.ts';
import { askedBy } from '../policy/approval/title.ts';
import { traced } from '../lib/traced.ts';
import type { Finding } from '../policy/types.ts';
import { given } from '../lib/given.ts';
import type { StepOptions } from '../sandbox/context.ts';
import { type Caller, operator } from '../values/caller.ts';
import { ownerOf, taskIn } from '../values/owner.ts';
import { isEphemeral } from '../values/task.ts';
import type { Attendance } from './attended.ts';
import { bindingOf, textOf } from './binding.ts';
import { placeOf, type Preview, readable, typed } from './call.ts';
import type { ApprovalQueue } from './approval-queue.ts';
import type { Answered, Admission, Step } from './gate.ts';
import { type Outcome, Questions } from './questions.ts';
import { answeredNoError, unansweredError } from './refusal.ts';
import type { Book } from './book.ts';
import type { Rulebook } from './rulebook.ts';
import { EarlierAnswers } from './earlier-answers.ts';
import { RemoteQuestions } from './remote-questions.ts';
import type { Grants } from './grants.ts';
import type { SmartReview } from './smart.ts';
import type { Approver, Question } from './types.ts';

export interface ApproveDependencies {
  /** Questions of clients of the service that are open. */
  readonly open: Budget;
  readonly rulebook: Rulebook;
  readonly attendance: Attendance;
  readonly queue: ApprovalQueue;
  readonly grants: Grants;
  /** Mode `smart`; `null` in all others. */
  readonly smart: SmartReview | null;
  /** `null`: it is answered elsewhere, if at all. */
  readonly approver: Approver | null;
  readonly timeoutMs: () => number;
  /** Milliseconds that a question of a client of the service waits. */
  readonly remoteTimeoutMs: () => number;
  /** The home directory of the account on this host. */
  readonly userHome: string;
  /** Keeps rules beyond this process. */
  readonly save: (rules: readonly string[]) => Promise<void>;
  /** Keeps rules of an owner of the service. */
  readonly saveFor: (owner: string, rules: readonly string[], by: string) => Promise<void>;
  /** Called when questions of a task are skipped from now on, or no longer. */
  readonly skipped: (taskId: string, on: boolean, caller: Caller | undefined) => void;
}

type Proposing = Pick<OpenQuestion, 'book'> & Pick<ApproveDependencies, 'userHome'>;

interface Look {
  readonly admission: Admission;
  readonly book: Book;
  /** The call, whatever is in the file that it writes: what "session" covers, and what a refusal is remembered for. */
  readonly exact: string;
  /** What is known to be dangerous is not asked about. */
  readonly skips: () => boolean;
}

interface OpenQuestion extends Look {
  /** What the answer "once" is for. */
  readonly binding: string;
  readonly preview: Preview | null;
  readonly open: readonly Finding[];
}

export class Approvals implements Step {
  readonly #parts: ApproveDependencies;
  readonly #questions = new Questions();
  readonly #remote: RemoteQuestions;
  readonly #earlier = new EarlierAnswers();

  constructor(parts: ApproveDependencies) {
    this.#parts = parts;
    this.#remote = new RemoteQuestions(parts.open, parts.remoteTimeoutMs);
  }

  readonly concerns = ({ decision }: Admission): boolean => decision.verdict === 'ask';

  readonly pass = async (admission: Admission, options: StepOptions): Promise<Admission> => {
    const { call, decision } = admission;
    const { caller, said } = options;
    const book = await this.#parts.rulebook.of(call.taskId, said);
    const exact = bindingOf(call, book.version);
    const skips = (): boolean => this.#skips(call.taskId, said);
    const look = { admission, book, exact, skips };
    const preview = await this.#previewOf(look);
    const binding = bindingOf(call, book.version, preview);
    const asker = caller === undefined ? exact : `${caller.owner}/${caller.token}/${exact}`;
    for (;;) {
      const asked: OpenQuestion = { ...look, binding, preview, open: await this.#open(look) };
      if (asked.open.length === 0 && decision.findings.length > 0)
        return allowed(admission, skips() ? 'skipped' : 'session');
      if (this.#earlier.no(asker)) throw answeredNoError(call, decision);
      if (await this.#unseen(asked)) return allowed(admission, 'unattended');
      const same = caller === undefined ? this.#questions.same(binding) : null;
      const outcome = await (same ??
        (caller === undefined ? this.#ask(asked, options) : this.#askFor(asked, caller, options)));
      if (options.signal?.aborted === true) throw abortError(options.signal);
      this.#refuse(asked, outcome, asker);
      if (same === null && isYes(outcome)) return await this.#approved(asked, outcome, caller);
      // The answer "once" was for the one who asked: the next in line asks for itself.
    }
  };

  /** Skips questions from now on, or no longer. Only the holder of the service may call it. */
  skip(taskId: string, on: boolean, caller?: Caller): void {
    const skips = on && this.#parts.attendance.maySkip();
    this.#earlier.skip(taskId, skips);
    this.#parts.skipped(taskId, skips, caller);
  }

  #skips(taskId: string, said: StepOptions['said']): boolean {
    const { attendance } = this.#parts;
    return attendance.skips || this.#earlier.skips(taskId) || (said?.yolo === true && attendance.maySkip());
  }

  async #open({ admission: { call, decision }, book, exact, skips }: Look): Promise<readonly Finding[]> {
    const session = await this.#parts.grants.keys(call.taskId, book.version);
    return unansweredOf(decision, { skips: skips(), session, exact });
  }

  /** `null`: no person is asked, so that no preview is made. */
  async #previewOf(look: Look): Promise<Preview | null> {
    const { admission } = look;
    const { subject } = admission.call;
    if (subject.kind !== 'file' || subject.preview === undefined || this.#parts.attendance.unseen !== null) return null;
    const open = await this.#open(look);
    return open.length === 0 && admission.decision.findings.length > 0 ? null : await subject.preview();
  }

  /** Decides at once when no person can be asked. */
  async #unseen({ admission, book, open }: OpenQuestion): Promise<boolean> {
    const { unseen } = this.#parts.attendance;
    if (unseen === null) return false;
    if (unseen === 'approve' && mayPassUnseen(open)) return true;
    const proposal = await proposalFor(admission, { book, userHome: this.#parts.userHome });
    const rules = choicesFor(open, proposal).includes('always') ? proposal : [];
    throw unansweredError(admission.call, admission.decision, { why: 'no-approver', rules });
  }

  /** Refuses what clients of the service wait for. */
  close(): void {
    this.#remote.close();
  }

  /** On behalf of a client: in a queue of its own, since people who answer from elsewhere see all of it at once. */
  async #askFor(asked: OpenQuestion, caller: Caller, options: StepOptions): Promise<Outcome> {
    const { call } = asked.admission;
    const question = { caller, taskId: call.taskId, execId: call.execId, binding: asked.binding };
    const { waits = true, onAsked } = options.question ?? {};
    const seen = (id: string, listen: (id: string) => void): void => {
      listen(id);
      onAsked?.(id);
    };
    return await this.#remote.ask(
      { ...question, waits, signal: options.signal },
      async ({ signal, onAsked: listen }) =>
        (await this.#reviewed(asked, { signal })) ??
        (await this.#put(asked, { signal, caller, question: { onAsked: (id) => seen(id, listen) } })),
    );
  }

  async #put(asked: OpenQuestion, options: StepOptions): Promise<Outcome> {
    const { binding, book, exact } = asked;
    const { caller } = options;
    if (options.signal?.aborted === true) return 'canceled';
    const { approver, timeoutMs, remoteTimeoutMs, queue, grants, saveFor, userHome } = this.#parts;
    const how =
      caller === undefined ? { approver, timeoutMs: timeoutMs() } : { approver: null, timeoutMs: remoteTimeoutMs() };
    const question = await questionOf(asked, { userHome, ...how });
    const { outcome, by } = await traced(
      { name: 'caisson.question', attributes: { 'caisson.question.id': question.id, 'caisson.task': question.taskId } },
      () => queue.put({ question, binding }, how, options),
    );
    if (outcome === 'session' || outcome === 'always')
      await grants.give({ question, binding: exact, rules: book.version, choice: outcome, by });
    const owner = ownerOf(question.taskId);
    if (outcome === 'always' && !(holdsHome(caller) && owner === operator)) await saveFor(owner, question.proposal, by);
    return outcome;
  }

  async #ask(asked: OpenQuestion, options: StepOptions): Promise<Outcome> {
    const { binding, admission } = asked;
    const put = (): Promise<Outcome> => this.#put(asked, options);
    return await this.#questions.ask(
      { binding, taskId: admission.call.taskId },
      { first: async () => await this.#reviewed(asked, options), put },
    );
  }

  /** The word of the model, where there is one; `null` leaves it to a person. */
  async #reviewed({ admission, open }: OpenQuestion, { signal }: StepOptions): Promise<Outcome | null> {
    const review = await this.#parts.smart?.review(textOf(admission.call), open, signal);
    if (review === 'approve') return 'reviewed';
    return review === 'deny' ? 'deny' : null;
  }

  #refuse({ admission: { call, decision } }: OpenQuestion, outcome: Outcome, asker: string): void {
    if (outcome === 'deny') {
      this.#earlier.denied(asker);
      throw answeredNoError(call, decision);
    }
    if (outcome === 'timed-out' || outcome === 'too-many' || outcome === 'no-approver' || outcome === 'lost')
      throw unansweredError(call, decision, { why: outcome });
  }

  async #approved({ admission, book }: OpenQuestion, outcome: Yes, caller: Caller | undefined): Promise<Admission> {
    if (outcome === 'always' && holdsHome(caller) && ownerOf(admission.call.taskId) === operator) {
      const rules = await proposalFor(admission, { book, userHome: this.#parts.userHome });
      await this.#parts.save(rules);
      this.#parts.rulebook.add(rules);
    }
    return allowed(admission, outcome);
  }
}

/** What its user answers to it for good stands in the configuration. */
const holdsHome = (caller: Caller | undefined): boolean => caller === undefined || caller.holdsHome === true;

type Yes = Extract<Outcome, Answered>;

const isYes = (outcome: Outcome): outcome is Yes => /^(?:once|session|always|reviewed)$/.test(outcome);

const allowed = (admission: Admission, answered: Answered): Admission => ({
  ...admission,
  answered,
  decision: { ...admission.decision, verdict: 'allow' },
});

async function proposalFor({ call }: Admission, { book, userHome }: Proposing): Promise<readonly string[]> {
  if (call.subject.kind === 'code' || call.subject.kind === 'file') return [];
  const policy = await book.policy();
  return policy.propose({ command: readable(call.subject), ...placeOf(call, userHome) }) ?? [];
}

async function questionOf(
  { admission, book, exact, preview, open }: OpenQuestion,
  { timeoutMs, userHome }: { readonly timeoutMs: number; readonly userHome: string },
): Promise<Question> {
  const { call, decision } = admission;
  const { taskId, backend, reach, cwd, user, subject, stdin, input, variables = [] } = call;
  const { display, warnings } = shownCommand(textOf(call));
  const proposal = await proposalFor(admission, { book, userHome });
  const choices = choicesFor(open, proposal.length === 0 ? null : proposal);
  return {
    id: `apr_${randomBytes(12).toString('hex')}`,
    ...askedBy(open),
    taskId,
    backend,
    reach,
    cwd,
    ...given({ user }),
    stdin,
    input: input?.shown() ?? null,
    display,
    warnings,
    variables: variables.map(({ name }) => name),
    command: typed(subject),
    diff: preview?.diff ?? null,
    tier: decision.tier,
    findings: open,
    choices,
    covers: coversOf(grantedBy(open, exact), taskId),
    proposal: choices.includes('always') ? proposal : [],
    expiresAt: Date.now() + timeoutMs,
  };
}

/** A sandbox without a name ends with its command, and what was granted to it with it. */
function coversOf(granted: ReturnType<typeof grantedBy>, taskId: string): readonly string[] {
  const until = isEphemeral(taskId) ? 'in this run only' : `for task ${taskIn(taskId)}`;
  return [...new Set(granted.map(({ covers }) => `${covers} ${until}`))];
}
