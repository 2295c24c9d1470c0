/** One admitted exec on its way into a sandbox: recorded, audited, started, and followed to its end. */
import type { Running } from '../api.ts';
import { maskedWords } from '../../audit/facts.ts';
import { actingAs, itself } from '../../lib/author.ts';
import { failpoint } from '../../lib/failpoint.ts';
import { given } from '../../lib/given.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Recorder } from '../../journal/types.ts';
import type { Exit } from '../../values/exit.ts';
import { takeId } from '../../exec/identity.ts';
import { recordedStream } from '../../exec/recorded.ts';
import { type CheckedRequest, checkRequest } from '../../exec/request.ts';
import { startExec, startFailed } from '../../exec/start.ts';
import type { Execution } from '../../exec/types.ts';
import { toCaissonError } from '../../errors.ts';
import type { AdmittedExec } from './admission.ts';
import { exitEntry, notStartedEntry, runEntry, whereOf } from './audit-entries.ts';
import type { Origin, Provisions } from './provision.ts';
import type { RunningExecs } from './running-execs.ts';
import type { Loops, Watch } from '../../guard/loops/loops.ts';
import type { Context, Handle, StepOptions } from '../../sandbox/context.ts';
import { cancelable } from '../../sandbox/context.ts';
import { whoEnded } from '../../sandbox/ended-by.ts';
import { removeEphemeral } from '../../sandbox/ephemeral.ts';
import { measure } from '../../sandbox/measure.ts';
import type { Redaction } from '../../redact/redactor.ts';
import type { SandboxRow } from '../../store/store.ts';
import type { Caller } from '../../values/caller.ts';
import { ownerOf } from '../../values/owner.ts';
import type { CredentialState } from '../../secrets/credentials/files.ts';
import type { Redactions } from '../../secrets/redactions.ts';

export interface AttemptDependencies {
  readonly context: Context;
  readonly journal: Journal;
  readonly origin: Pick<Origin, 'redactions'>;
  /** What sees how calls end. */
  readonly loops: Loops;
  readonly provisions: Provisions;
  readonly running: RunningExecs;
}

interface Since {
  readonly watch: Watch | null;
  /** Time by the wall clock. */
  readonly startedAt: number;
  readonly caller: Caller | undefined;
}

/** It is recorded once, though it may take a second, healed sandbox to start it. */
export class Attempt {
  readonly admitted: AdmittedExec;
  readonly #parts: AttemptDependencies;
  #recorder: Recorder | null = null;
  #credentials: CredentialState = { directory: null, missing: [] };
  /** Sandbox in which the id was taken. */
  #where: SandboxRow | null = null;
  /** Whether the audit has a start without an end. */
  #audited = false;

  constructor(parts: AttemptDependencies, admitted: AdmittedExec) {
    this.#parts = parts;
    this.admitted = admitted;
  }

  /** May be called again with another sandbox after `not_found` or `failed_precondition`: the command has not run then. */
  async start(handle: Handle, options: StepOptions): Promise<Running> {
    return await this.launch(handle, await this.prepare(handle, options), options);
  }

  /** Places the credential files of the command in its sandbox, and adds their directory to its request. */
  async prepare(handle: Handle, options: StepOptions): Promise<CheckedRequest> {
    const { request, plan } = this.admitted;
    const state = this.#parts.provisions.place(handle, plan, options);
    this.#credentials = state instanceof Promise ? await state : state;
    const { directory } = this.#credentials;
    if (directory === null) return request;
    return checkRequest({ ...request, env: { ...request.env, CAISSON_CREDENTIALS: directory } });
  }

  /** `start` of a command that is prepared. */
  async launch(handle: Handle, request: CheckedRequest, options: StepOptions): Promise<Running> {
    return await this.#parts.running.launching(this.#launch(handle, request, options));
  }

  /** Ends the record of an exec that could not be started, and the ephemeral sandbox that was made for it. */
  async failed(error: unknown): Promise<void> {
    await this.#ending(() => this.#failed(error));
  }

  async #failed(error: unknown): Promise<void> {
    const { context } = this.#parts;
    const { plan } = this.admitted;
    const exit = startFailed(toCaissonError(error));
    if (this.#where !== null) this.#ended(this.#where, exit);
    await this.#recorder?.end(exit);
    const row = plan.ephemeral ? await context.store.sandboxes.ofTask(plan.taskId) : null;
    if (row !== null) await removeEphemeral(context, row, { signal: this.#parts.running.givenUp });
  }

  async #launch(handle: Handle, request: CheckedRequest, options: StepOptions): Promise<Running> {
    const { context, loops, running } = this.#parts;
    // Credential files may have declared secrets since the admission, and others so many that those of the command were dropped.
    const redactions = this.#redactions();
    redactions.declareVariables(this.admitted.request.env, this.admitted.provision.variables);
    const redaction = redactions.current();
    context.uses.hold(handle.row);
    try {
      const recorder = await this.#record(handle, redaction);
      await this.#audit(handle, redaction, options.caller);
      const watch = loops.watch(this.admitted.call, recorder);
      const startedAt = Date.now();
      const execution = await startExec(handle.sandbox, request, {
        where: whereOf(handle),
        recorder: watch?.recorder ?? recorder,
        recorded: (name, from) => recordedStream(this.#parts.journal, request.execId, { name, from }),
        redaction,
        rawOutput: this.admitted.rawOutput,
        closing: running.closing,
        endedBy: () => whoEnded(context, handle.row),
        ...cancelable(options),
      });
      return this.#follow(execution, handle, { watch, startedAt, caller: options.caller });
    } catch (error) {
      context.uses.end(handle.row);
      this.#auditEnd(handle, startFailed(toCaissonError(error)), notStartedEntry);
      throw error;
    }
  }

  /** Intent before effect: the id is taken, and the record begins, before the start. */
  async #record(handle: Handle, redaction: Redaction | null): Promise<Recorder> {
    if (this.#recorder !== null) return this.#recorder;
    const { request, identity, fresh } = this.admitted;
    const { execId: id, command, cwd, user, tty } = request;
    const where = whereOf(handle);
    const shown = redaction === null ? command : maskedWords(command, (text) => redaction.text(text));
    this.#where = handle.row;
    await takeId(this.#parts.context.store, { id, where, request: identity, fresh });
    return (this.#recorder = this.#parts.journal.record(id, {
      command: shown,
      cwd,
      ...given({ user }),
      tty: tty !== null,
      where,
    }));
  }

  /** What is not on record does not start. */
  async #audit(handle: Handle, redaction: Redaction | null, caller?: Caller): Promise<void> {
    const { request, rawOutput, call } = this.admitted;
    const entry = {
      ...runEntry(request, handle, redaction),
      ...(call.subject.kind === 'text' ? { session: true } : {}),
      ...(rawOutput ? { raw_output: true } : {}),
      ...byOf(caller),
    };
    try {
      await this.#parts.context.audit.record(entry);
      this.#audited = true;
      await failpoint('exec-audited');
    } catch (error) {
      await this.#recorder?.end(startFailed(toCaissonError(error)));
      throw error;
    }
  }

  #auditEnd(handle: Handle, exit: Exit, entryOf = exitEntry): void {
    if (!this.#audited) return;
    this.#audited = false;
    this.#parts.context.audit.recordSoon(entryOf(this.admitted.request.execId, handle.row.taskId, exit));
  }

  #ended({ id: sandboxId, taskId, backend }: SandboxRow, { reason, exitCode, signal }: Exit): void {
    const exec = { id: this.admitted.request.execId, taskId, sandboxId, backend };
    this.#parts.context.store.execs.ended(exec, { reason, exitCode, signal });
  }

  /** What ends with its service was ended by that. */
  #ending<T>(work: () => T): T {
    return this.#parts.running.closing.aborted ? actingAs(itself('shutdown', null), work) : work();
  }

  #follow(execution: Execution, handle: Handle, { watch, startedAt, caller }: Since): Running {
    const { context } = this.#parts;
    const ended = watch === null ? execution.exit : execution.exit.then(watch.ended);
    const denied = (): Promise<readonly string[]> => this.#denied(handle.row, startedAt, caller);
    const exit = withNotes(ended, this.admitted.provision.notes ?? [], denied);
    const left = Promise.withResolvers<void>();
    const clear = async (how: Exit): Promise<void> => {
      this.#auditEnd(handle, how);
      this.#ended(handle.row, how);
      context.uses.end(handle.row);
      const removal = { onSent: left.resolve, signal: this.#parts.running.givenUp };
      if (this.admitted.plan.ephemeral) await removeEphemeral(context, handle.row, removal);
      else if (handle.how !== 'found') measure(context, handle.row, handle.sandbox);
    };
    const settled = exit.then(async (how) => await this.#ending(() => clear(how)));
    const running = this.#describe(execution, handle, exit);
    this.#parts.running.add(running, { settled, left: left.promise });
    return running;
  }

  /** A command can ask for a name that holds a secret. */
  async #denied(row: SandboxRow, startedAt: number, caller: Caller | undefined): Promise<readonly string[]> {
    const notes = await this.#parts.context.wayOut.denied(row, startedAt, caller);
    const redaction = notes.length === 0 ? null : this.#redactions().current();
    return redaction === null ? notes : notes.map((note) => redaction.text(note));
  }

  #describe(execution: Execution, handle: Handle, exit: Promise<Exit>): Running {
    const { id, stdin, stdout, stderr, resize } = execution;
    return {
      id,
      stdin,
      stdout,
      stderr,
      exit,
      ignore: (stream) => execution.ignore(stream),
      cancel: () => execution.cancel(),
      ...(resize === undefined ? {} : { resize }),
      where: whereOf(handle),
      how: handle.how,
      lostSince: handle.lostSince,
      degraded: handle.row.degraded,
      unsetVariables: this.admitted.provision.unset,
      missingFiles: this.#credentials.missing,
    };
  }

  #redactions(): Redactions {
    return this.#parts.origin.redactions.of(ownerOf(this.admitted.plan.taskId));
  }
}

/** On whose behalf it runs, where that is a client of the service. */
const byOf = (caller?: Caller) => (caller === undefined ? {} : { owner: caller.owner, token: caller.token });

async function withNotes(
  exit: Promise<Exit>,
  known: readonly string[],
  later: () => Promise<readonly string[]>,
): Promise<Exit> {
  const ended = await exit;
  const notes = [...known, ...(await later())];
  return notes.length === 0 ? ended : { ...ended, notes: [...ended.notes, ...notes] };
}
