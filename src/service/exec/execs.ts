/** The execs of a state directory: started here, or read from their records, whichever process runs or ran them. */
import type {
  CodeInput,
  ExecEvent,
  ExecFilter,
  ExecInput,
  ExecsApi,
  ExecView,
  LogInput,
  Options,
  Page,
  RunInput,
  Running,
  RunResult,
  SandboxRequest,
} from '../api.ts';
import { Readable } from 'node:stream';
import { CaissonError, isCode } from '../../errors.ts';
import { timed } from '../../lib/timed.ts';
import { traced, type TracedSpan } from '../../lib/traced.ts';
import { collect } from '../../exec/collect.ts';
import { heard } from '../../exec/heard.ts';
import { identityOf } from '../../exec/identity.ts';
import type { Journal } from '../../journal/types.ts';
import type { Plan } from '../../plan/types.ts';
import type { Context, StepOptions } from '../../sandbox/context.ts';
import { withSandbox } from '../../sandbox/healing.ts';
import { checkKeys, checkWords } from '../inputs.ts';
import { codeKeys, execKeys, execs } from '../verbs/execs.ts';
import type { Admission, AdmittedExec } from './admission.ts';
import type { Attempt } from './attempt.ts';
import { capped } from './capped.ts';
import { type CodeRun, codeRun, codeWords, feedCode } from './code.ts';
import type { ExecPlaces } from './places.ts';
import type { Processes } from './processes.ts';
import { type Proposal, sandboxPart } from './proposal.ts';
import type { Origin } from './provision.ts';
import { cancelExec, findExec, listExecs, readEvents } from './records.ts';
import { repeated, type RepeatedId } from './replay.ts';
import type { RunningExecs } from './running-execs.ts';
import { feed } from './stdin.ts';

export interface ExecsDependencies {
  readonly context: Context;
  readonly journal: Journal;
  readonly origin: Pick<Origin, 'inherited'>;
  readonly admission: Admission;
  readonly attempt: (admitted: AdmittedExec) => Attempt;
  readonly running: RunningExecs;
  readonly processes: Processes;
  readonly places: ExecPlaces;
  readonly plan: (request: SandboxRequest, options: StepOptions) => Promise<Plan>;
  /** Bytes of each stream that a collected result keeps. */
  readonly keepBytes: number;
  /** Bytes of each stream that a caller gets while it comes. `null`: no limit. */
  readonly streamBytes: number | null;
}

export class Execs implements ExecsApi {
  readonly #parts: ExecsDependencies;

  constructor(parts: ExecsDependencies) {
    this.#parts = parts;
  }

  async start(request: SandboxRequest & (CodeInput | ExecInput), options: Options = {}): Promise<Running> {
    checkKeys(request, isCodeInput(request) ? codeKeys : execKeys);
    const running = await (isCodeInput(request) ? this.#code(request, options) : this.#withInput(request, options));
    const { streamBytes } = this.#parts;
    // A terminal belongs to a person.
    const isFree = streamBytes === null || (!isCodeInput(request) && (request.tty ?? null) !== null);
    return heard(isFree ? running : capped(running, streamBytes), options);
  }

  async run(request: SandboxRequest & (CodeInput | RunInput), options: Options = {}): Promise<RunResult> {
    checkKeys(request, isCodeInput(request) ? codeKeys : execKeys);
    const running = await (isCodeInput(request)
      ? this.#code(request, options)
      : this.#withInput({ ...request, stdin: false }, options));
    const { onStdout, onStderr } = options;
    const collected = await collect(running, { keepBytes: this.#parts.keepBytes, onStdout, onStderr });
    await this.#parts.running.settled(running.id);
    return { execId: running.id, where: running.where, lostSince: running.lostSince, ...collected };
  }

  async list(filter: ExecFilter = {}): Promise<Page<ExecView>> {
    checkKeys(filter, execs.list.keys);
    return await listExecs(this.#parts.journal, filter);
  }

  async get(execId: string): Promise<ExecView> {
    return await findExec(this.#parts, execId);
  }

  async cancel(execId: string): Promise<void> {
    await cancelExec(this.#parts, execId);
  }

  async *logs(id: string, how: LogInput = {}, options: Options = {}): AsyncIterable<ExecEvent> {
    checkKeys(how, execs.logs.keys);
    yield* readEvents(this.#parts, { id, how }, options);
  }

  async #withInput({ input, ...request }: SandboxRequest & RunInput, options: Options): Promise<Running> {
    if (input === undefined) return await this.#command({ ...request }, options);
    if (request.stdin === true) throw bothInputsError();
    const given = input instanceof Readable ? undefined : input;
    const running = await this.#command({ ...request, stdin: true }, options, given);
    if (running.stdin !== null) void feed(running.stdin, input);
    return running;
  }

  async #command(request: SandboxRequest & ExecInput, options: Options, given?: Proposal['given']): Promise<Running> {
    checkWords(request);
    const identity = identityOf({ ...request, words: request.command });
    const propose = async (): Promise<Proposal> => {
      return { plan: await this.#parts.plan(sandboxPart(request), options), input: request, identity, given };
    };
    const known = await this.#repeated({ ...request, identity }, options, propose);
    return known ?? (await this.#started(await propose(), options));
  }

  async #code({ code, ...request }: SandboxRequest & CodeInput, options: Options): Promise<Running> {
    const identity = identityOf({ ...request, words: codeWords(code) });
    const { context, origin, plan } = this.#parts;
    const propose = async (): Promise<CodeRun> =>
      codeRun(await plan(sandboxPart(request), options), { ...request, code, identity }, origin);
    const judged = async (): Promise<Proposal> => (await propose()).proposal;
    const known = await this.#repeated({ ...request, identity }, options, judged);
    if (known !== null) return known;
    const { program, proposal } = await propose();
    return feedCode(context, await this.#started(proposal, options), program);
  }

  async #started(proposal: Proposal, options: Options): Promise<Running> {
    const { places } = this.#parts;
    const { taskId } = proposal.plan;
    const start = (): Promise<Running> => traced(spanOf(proposal), () => this.#start(proposal, options));
    return await places.during({ taskId, caller: options.caller }, start, async ({ exit }) => await exit);
  }

  async #start(proposal: Proposal, options: Options): Promise<Running> {
    const { admission, context } = this.#parts;
    const attempt = this.#parts.attempt(await admission.admit(proposal, options));
    const { plan, request, identity } = attempt.admitted;
    try {
      return await withSandbox(
        context,
        plan,
        options,
        async (handle) => await timed(options, 'start', async () => await attempt.start(handle, options)),
      );
    } catch (error) {
      await attempt.failed(error);
      const execId = isCode(error, 'already_exists') ? request.execId : undefined;
      const known = await this.#repeated({ execId, identity, taskId: plan.taskId }, options);
      if (known === null) throw error;
      return known;
    }
  }

  /** `propose`: what rules may deny by now. Absent: that was judged just before. */
  async #repeated(repeat: RepeatedId, options: Options, propose?: () => Promise<Proposal>): Promise<Running | null> {
    const judge = async (): Promise<void> => {
      if (propose !== undefined) await this.#parts.admission.judgeRepeat(await propose(), options);
    };
    return await repeated(this.#parts, { ...repeat, judge }, options);
  }
}

/** The trace of an exec goes on until it has ended. */
const spanOf = ({ plan, input }: Proposal): TracedSpan<Running> => ({
  name: 'caisson.exec',
  attributes: { 'caisson.task': plan.taskId, 'caisson.backend': plan.spec.backend, 'caisson.exec.id': input.execId },
  ended: async ({ id, where, exit }) => {
    const { reason, exitCode } = await exit;
    return {
      'caisson.exec.id': id,
      'caisson.sandbox.id': where.sandboxId,
      'caisson.exit.reason': reason,
      'process.exit.code': exitCode ?? undefined,
    };
  },
});

const bothInputsError = (): CaissonError =>
  new CaissonError('invalid_argument', 'input and stdin are both given', {
    remedy: 'give input where all of it is known, and stdin where it comes later',
  });

/** Callers may be untyped: what is not an object is refused by the check of its keys. */
function isCodeInput<T extends object>(request: T): request is Extract<T, CodeInput> {
  return typeof request === 'object' && request !== null && 'code' in request;
}
