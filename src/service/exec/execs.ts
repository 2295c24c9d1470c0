/** The execs of this process: each started in a ready sandbox, recorded, counted as use, and ended when we end. */
import type { Running } from '../api.ts';
import { type Asking, askedOf, type Wanted, type Wish } from './request.ts';
import { maskedWords } from '../../audit/facts.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { Journal } from '../../exec/journal/journal.ts';
import type { Recorder } from '../../exec/journal/types.ts';
import { takeId } from '../../exec/identity.ts';
import { startExec, startFailed } from '../../exec/start.ts';
import type { ExecRequest, Where } from '../../exec/types.ts';
import { CaissonError, toCaissonError } from '../../errors.ts';
import { exitEntry, runEntry, whereOf } from './audit-entries.ts';
import { nothingGiven, type Origin, type Provision, Provisions, withFiles } from './provision.ts';
import type { Call, Subject } from '../../guard/call.ts';
import { isInside } from '../../guard/inside.ts';
import type { Gate } from '../../guard/gate.ts';
import type { Loops } from '../../guard/loops/loops.ts';
import type { Context, Handle, StepOptions } from '../../sandbox/context.ts';
import { cancelable, leasePatienceMs, taskLease } from '../../sandbox/context.ts';
import { whoEnded } from '../../sandbox/ended-by.ts';
import { finish } from '../../sandbox/finish.ts';
import { withLease } from '../../sandbox/lease.ts';
import { measure } from '../../sandbox/measure.ts';
import type { Plan } from '../../plan/types.ts';
import { refuseWhenFull } from '../../store/reserve.ts';
import type { SandboxRow } from '../../store/store.ts';
import type { Redaction } from '../../secrets/redact/redactor.ts';
import type { CredentialState } from '../../secrets/credentials/files.ts';

export interface ExecParts extends Asking {
  readonly context: Context;
  readonly journal: Journal;
  /** What stands before every command. */
  readonly guard: Gate;
  /** What stands before the record of a command that ran before: rules that deny. */
  readonly repeats: Gate;
  /** What sees how calls end. */
  readonly loops: Loops;
}

/** A wanted exec. It is recorded once, though it may take a second, healed sandbox to start it. */
export interface Attempt {
  readonly plan: Plan;
  readonly request: ExecRequest;
  /** What the guard has admitted. */
  readonly call: Call;
  readonly subject: Subject;
  /** What it gets of this host. */
  readonly given: Provision;
  readonly rawOutput: boolean;
  /** Hash of the request as it came: a repetition of the id is compared with it. */
  readonly identity: string;
  /** Whether the id was made here just now, so that no other command can have it. */
  readonly fresh: boolean;
  recorder: Recorder | null;
  /** Set when its sandbox is known. */
  credentials: CredentialState;
  /** Whether the audit tells of a start. */
  audited: boolean;
}

type Launch = StepOptions & { readonly request: ExecRequest };

export class Execs {
  readonly #context: Context;
  readonly #journal: Journal;
  readonly #origin: Origin;
  readonly #guard: Gate;
  readonly #repeats: Gate;
  readonly #asking: Asking;
  readonly #loops: Loops;
  readonly #provisions: Provisions;
  readonly #running = new Map<Running, Promise<void>>();
  readonly #launching = new Set<Promise<Running>>();
  readonly #closing = new AbortController();

  constructor({ context, journal, origin, guard, repeats, limit, loops }: ExecParts) {
    this.#context = context;
    this.#journal = journal;
    this.#origin = origin;
    this.#guard = guard;
    this.#repeats = repeats;
    this.#asking = { origin, limit };
    this.#loops = loops;
    this.#provisions = new Provisions(context, origin);
  }

  /** Throws `policy_denied` or `approval_required`. What the guard has seen is a copy, and is what will be started. */
  async admit(plan: Plan, wish: Wish, options: StepOptions): Promise<Attempt> {
    const { input, identity } = wish;
    refuseWhenFull(this.#context.home);
    if (input.rawOutput === true) this.#refuseInside();
    const given = await this.#provisions.of(plan, input.skills ?? []);
    const { wanted, call } = askedOf(this.#asking, plan, { wish, given });
    const passed = await this.#guard.admit(call, options);
    const admitted = passed.subject;
    return {
      plan: withFiles(plan, given),
      call: passed,
      request: admitted.kind === 'argv' ? { ...wanted, command: admitted.argv } : wanted,
      subject: admitted,
      given,
      identity,
      fresh: input.execId === undefined,
      rawOutput: input.rawOutput ?? false,
      recorder: null,
      credentials: { directory: null, missing: [] },
      audited: false,
    };
  }

  /** Throws `policy_denied` for the repetition of a command that rules deny by now. */
  async judgeRepeat({ plan, wish }: Wanted, options: StepOptions): Promise<void> {
    await this.#repeats.admit(askedOf(this.#asking, plan, { wish, given: nothingGiven }).call, options);
  }

  /** May be called again with another sandbox after `not_found` or `failed_precondition`: the command has not run then. */
  async start(handle: Handle, attempt: Attempt, options: StepOptions): Promise<Running> {
    const request = await this.ready(handle, attempt, options);
    return await this.launch(handle, attempt, { ...options, request });
  }

  /** Has the credential files of a command in its sandbox, and tells the request of the command where. */
  async ready(handle: Handle, attempt: Attempt, options: StepOptions): Promise<ExecRequest> {
    const state = this.#provisions.place(handle, attempt.plan, options);
    attempt.credentials = state instanceof Promise ? await state : state;
    const { directory } = attempt.credentials;
    if (directory === null) return attempt.request;
    return { ...attempt.request, env: { ...attempt.request.env, CAISSON_CREDENTIALS: directory } };
  }

  /** `start` of a command that is `ready`. */
  async launch(handle: Handle, attempt: Attempt, options: Launch): Promise<Running> {
    const launching = this.#launch(handle, attempt, options);
    this.#launching.add(launching);
    return await launching.finally(() => this.#launching.delete(launching));
  }

  async #launch(handle: Handle, attempt: Attempt, options: Launch): Promise<Running> {
    const { request } = options;
    const where = whereOf(handle);
    this.#context.uses.hold(handle.row);
    try {
      attempt.recorder ??= await this.#record(attempt, where);
      await this.#audited(attempt, handle);
      const watch = this.#loops.watch(attempt.call, attempt.recorder);
      const execution = await startExec(handle.sandbox, request, {
        where,
        recorder: watch?.recorder ?? attempt.recorder,
        redaction: this.#redaction(attempt),
        rawOutput: attempt.rawOutput,
        closing: this.#closing.signal,
        endedBy: () => whoEnded(this.#context, handle.row),
        ...cancelable(options),
      });
      if (watch !== null) Object.assign(execution, { exit: execution.exit.then(watch.ended) });
      const described = {
        where,
        how: handle.how,
        degraded: handle.row.degraded,
        unsetVariables: attempt.given.unset,
        missingFiles: attempt.credentials.missing,
      };
      const running: Running = Object.assign(execution, described);
      this.#follow(running, handle, attempt.plan);
      return running;
    } catch (error) {
      this.#context.uses.end(handle.row);
      if (attempt.audited)
        this.#context.audit.recordSoon(
          exitEntry(request.execId, handle.row.taskId, startFailed(toCaissonError(error))),
        );
      attempt.audited = false;
      throw error;
    }
  }

  /** Ends the record of an exec that could not be started, and the ephemeral sandbox that was made for it. */
  async failed(attempt: Attempt, error: unknown): Promise<void> {
    await attempt.recorder?.end(startFailed(toCaissonError(error)));
    const row = attempt.plan.ephemeral ? await this.#context.store.sandboxOfTask(attempt.plan.taskId) : null;
    if (row !== null) await this.#removeEphemeral(row);
  }

  /** Resolves when what an exec brought with it is cleared away: its use, and its sandbox when that was ephemeral. */
  async settled(running: Running): Promise<void> {
    await this.#running.get(running);
  }

  /** Whether an exec of this process has that id; it is ended. */
  async cancel(execId: string): Promise<boolean> {
    const found = [...this.#running.keys()].find(({ id }) => id === execId);
    await found?.cancel();
    return found !== undefined;
  }

  /** Ends every exec of this process. Their exits tell `canceled`; what has not begun is not begun. */
  async close(): Promise<void> {
    this.#closing.abort(new CaissonError('canceled', 'the service was closed'));
    await Promise.allSettled(this.#launching);
    const pending = [...this.#running];
    await Promise.all(pending.map(([running]) => running.cancel()));
    await Promise.all(pending.map(([, settled]) => settled));
    this.#context.uses.close();
  }

  /** What is not on record does not start. */
  async #audited(attempt: Attempt, handle: Handle): Promise<void> {
    try {
      await this.#context.audit.record({
        ...runEntry(attempt.request, handle, this.#redaction(attempt)),
        ...(attempt.rawOutput ? { raw_output: true } : {}),
      });
      attempt.audited = true;
      await failpoint('exec-audited');
    } catch (error) {
      await attempt.recorder?.end(startFailed(toCaissonError(error)));
      throw error;
    }
  }

  async #record(attempt: Attempt, where: Where): Promise<Recorder> {
    const { execId, command, cwd } = attempt.request;
    const redaction = this.#redaction(attempt);
    const shown = redaction === null ? command : maskedWords(command, (text) => redaction.text(text));
    await takeId(this.#context.store, { id: execId, where, request: attempt.identity, fresh: attempt.fresh });
    return this.#journal.record(execId, { command: shown, cwd, where });
  }

  #redaction({ given, request }: Attempt): Redaction | null {
    return this.#origin.redactions.forExec(request.env, given.variables);
  }

  #refuseInside(): void {
    if (!isInside(this.#origin.env)) return;
    throw new CaissonError('permission_denied', 'raw output is not given inside a command that Caisson runs', {
      remedy: 'take the output without secrets, or run it outside',
    });
  }

  #follow(running: Running, handle: Handle, plan: Plan): void {
    const settled = running.exit.then(async (exit) => {
      this.#context.audit.recordSoon(exitEntry(running.id, handle.row.taskId, exit));
      this.#context.uses.end(handle.row);
      if (plan.ephemeral) await this.#removeEphemeral(handle.row);
      else if (handle.how !== 'found') measure(this.#context, handle.row, handle.sandbox);
    });
    this.#running.set(running, settled);
    // A failed removal is recorded in the row and finished by the next sweep; `settled` reports it to those who wait.
    settled.finally(() => this.#running.delete(running)).catch(() => undefined);
  }

  async #removeEphemeral(row: SandboxRow): Promise<void> {
    await withLease(this.#context.store, taskLease(row.taskId), { waitMs: leasePatienceMs }, async () => {
      const current = await this.#context.store.sandbox(row.id);
      if (current !== null)
        await this.#context.gate.passLast(row.backend, () => finish(this.#context, current, { keepFiles: false }));
    });
  }
}
