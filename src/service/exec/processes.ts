/** Detached processes of all sandboxes: started, found again by any process of the service, followed and ended. */
import type { Readable } from 'node:stream';
import type { Cancelable } from '../../backend.ts';
import type {
  Detached,
  DetachedProcess,
  ExecEvent,
  ExecInput,
  GcItem,
  Killed,
  LogInput,
  Options,
  ProcessesApi,
  ProcessFilter,
  SandboxRequest,
  ListedProcess,
  TaskProcess,
  Where,
} from '../api.ts';
import type { AuditEntry } from '../../audit/types.ts';
import { CaissonError, isCode, toCaissonError } from '../../errors.ts';
import { killProcess, pruneProcesses, waitForProcess } from '../../exec/detached/end.ts';
import { followProcess } from '../../exec/detached/follow.ts';
import { redactEvents } from '../../exec/detached/redact.ts';
import { KnownProcesses } from '../../exec/detached/known.ts';
import { sendInput } from '../../exec/detached/input.ts';
import { findProcess, type ProcessDirectory, listProcesses, unknownProcessError } from '../../exec/detached/list.ts';
import { unreadable } from '../../exec/detached/unreadable.ts';
import { keepEndedMinutes, startDetached } from '../../exec/detached/start.ts';
import { keptKey } from '../../inside/kept.ts';
import { scriptOf } from '../../inside/script.ts';
import { runScript } from '../../inside/run.ts';
import { identityOf } from '../../exec/identity.ts';
import { checkKeys, checkWords } from '../inputs.ts';
import { processes } from '../verbs/processes.ts';
import type { Admission, AdmittedExec } from './admission.ts';
import type { Attempt } from './attempt.ts';
import { runEntry, whereOf } from './audit-entries.ts';
import { noteEnds, retireProcess } from './process-acts.ts';
import type { ExecPlaces, Keep } from './places.ts';
import { type Proposal, sandboxPart } from './proposal.ts';
import type { Origin } from './provision.ts';
import type { Context, StepOptions } from '../../sandbox/context.ts';
import { findRow } from '../../sandbox/end.ts';
import { withSandbox } from '../../sandbox/healing.ts';
import { usedNow } from '../../sandbox/use.ts';
import type { Plan } from '../../plan/types.ts';
import { keptIn, notRunningError, presentSandbox } from '../../sandbox/present.ts';
import type { Redaction } from '../../redact/redactor.ts';
import type { Redactions } from '../../secrets/redactions.ts';
import type { SandboxRow } from '../../store/store.ts';
import { ownerOf } from '../../values/owner.ts';

export interface ProcessesDependencies {
  readonly context: Context;
  readonly origin: Pick<Origin, 'redactions'>;
  readonly admission: Admission;
  readonly places: ExecPlaces;
  readonly attempt: (admitted: AdmittedExec) => Attempt;
  readonly plan: (request: SandboxRequest, options: StepOptions) => Promise<Plan>;
}

export class Processes implements ProcessesApi {
  readonly #parts: ProcessesDependencies;
  readonly #context: Context;
  readonly #redactions: Redactions;
  readonly #known: KnownProcesses;

  constructor(parts: ProcessesDependencies) {
    this.#parts = parts;
    this.#context = parts.context;
    this.#redactions = parts.origin.redactions;
    this.#known = new KnownProcesses(parts.context.store);
  }

  async start(input: SandboxRequest & Omit<ExecInput, 'user'>, options: Options = {}): Promise<Detached> {
    checkKeys(input, processes.start.keys);
    checkWords(input);
    const identity = identityOf({ ...input, words: input.command });
    const plan = await this.#parts.plan(sandboxPart(input), options);
    const start = async (keep: Keep): Promise<Detached> => await this.#start({ plan, input, identity }, options, keep);
    const { execId } = input;
    // A repeated request is answered with the process that has its place already.
    if (execId !== undefined && (await this.#known.find(execId)) !== null) return await start(async () => undefined);
    return await this.#parts.places.keeping({ taskId: plan.taskId, caller: options.caller }, start);
  }

  async #start(proposal: Proposal, options: Options, keep: Keep): Promise<Detached> {
    const attempt = this.#parts.attempt(await this.#parts.admission.admit(proposal, options));
    const { identity } = proposal;
    const { plan } = attempt.admitted;
    if (plan.ephemeral) {
      throw new CaissonError('failed_precondition', 'a detached process needs a sandbox that stays', {
        remedy: 'name a task: its sandbox is kept',
      });
    }
    return await withSandbox(this.#context, plan, options, async (handle) => {
      const request = await attempt.prepare(handle, options);
      const id = request.execId;
      const { id: sandboxId, taskId, backend } = handle.row;
      const isNew = await this.#known.add({ id, taskId, sandboxId, backend, request: identity });
      const known = isNew ? null : await this.#known.find(id);
      if (known !== null && known.sandboxId !== sandboxId) {
        throw new CaissonError('already_exists', `${id} has been started in another sandbox`, {
          details: { sandboxId: known.sandboxId },
        });
      }
      if (isNew) await keep(id);
      const kept = await keptIn(this.#context, handle.row, handle.sandbox, options.signal);
      await this.#audited(id, { ...runEntry(request, handle, this.#redaction(taskId)), detached: true });
      const started = await startDetached(kept, request).catch((error: unknown) => {
        this.#context.audit.recordSoon(notRun(id, handle.row.taskId, toCaissonError(error).message));
        return this.#notStarted(id, error);
      });
      if (!started) this.#context.audit.recordSoon(notRun(id, handle.row.taskId, 'it had been started before'));
      await this.#context.store.sandboxes.update(handle.row.id, usedNow(this.#context.clock));
      return { id, started, where: whereOf(handle) };
    });
  }

  async #audited(id: string, entry: AuditEntry): Promise<void> {
    try {
      await this.#context.audit.record(entry);
    } catch (error) {
      await this.#known.forget(id);
      throw error;
    }
  }

  /** After these the command has certainly not been started. */
  async #notStarted(id: string, error: unknown): Promise<never> {
    const codes = [
      'invalid_argument',
      'not_supported',
      'failed_precondition',
      'not_found',
      'resource_exhausted',
    ] as const;
    if (codes.some((code) => isCode(error, code))) await this.#known.forget(id);
    throw error;
  }

  /** Without a task, of every sandbox that runs. */
  async list(filter: ProcessFilter = {}, options: Options = {}): Promise<readonly ListedProcess[]> {
    checkKeys(filter, processes.list.keys);
    const { task, owner } = filter;
    if (task !== undefined) return await this.#of(await findRow(this.#context, task), options);
    const rows = (await this.#sandboxesWithProcesses()).filter(
      ({ taskId }) => owner === undefined || ownerOf(taskId) === owner,
    );
    const lists = await Promise.all(
      rows.map((row) => this.#of(row, options).catch((error: unknown) => unread(row, error, options))),
    );
    return lists.flat();
  }

  async get(id: string, options: Options = {}): Promise<TaskProcess> {
    const { kept, row } = await this.#kept(id, options);
    const process = await findProcess(kept, id);
    await this.#freed(row, [process]);
    return { ...this.#shown(row, process), taskId: row.taskId, sandboxId: row.id };
  }

  async input(id: string, source: Readable, options: Options = {}): Promise<void> {
    await sendInput((await this.#kept(id, options)).kept, id, source);
  }

  async wait(id: string, options: Options = {}): Promise<DetachedProcess> {
    const { kept, row } = await this.#kept(id, options);
    const process = await waitForProcess(kept, id);
    await this.#freed(row, [process]);
    return this.#shown(row, process);
  }

  async kill(id: string, signal?: string, options: Options = {}): Promise<Killed> {
    const { kept, row } = await this.#kept(id, options);
    const killed = await killProcess(kept, id, signal ?? null);
    await this.#freed(row, [killed.process]);
    return { ...killed, process: this.#shown(row, killed.process) };
  }

  /** `null` when it is not the id of a detached process. */
  async logs(id: string, how: LogInput, options: Options): Promise<AsyncIterable<ExecEvent> | null> {
    if ((await this.#known.find(id)) === null) return null;
    const { kept, where, row } = await this.#kept(id, options);
    const place = { where, cwd: row.spec.cwd };
    const events = followProcess(kept, id, { after: how.after ?? 0, follow: how.follow ?? false, ...place });
    const redaction = this.#redaction(row.taskId);
    return redaction === null ? events : redactEvents(events, redaction);
  }

  /**
   * The sandbox is being removed with its files. Where it shares a home with others, what we kept there has to be
   * taken away; one that cannot be asked now keeps it.
   */
  async forgetSandbox(row: SandboxRow, options: Cancelable): Promise<void> {
    await this.#forgetInside(row, options).catch(() => undefined);
    for (const { id } of await this.#known.all(row.id)) await retireProcess(this.#known, this.#context.store, id);
  }

  /** In a home that others share; what is in a sandbox of its own goes with it. */
  async #forgetInside(row: SandboxRow, options: Cancelable): Promise<void> {
    const { isolation } = await (await this.#context.backend(row.backend)).guarantees(options);
    const key = keptKey(isolation, row.id);
    const sandbox = key === '' ? null : await presentSandbox(this.#context, row, options);
    if (sandbox !== null)
      await runScript(sandbox, { name: 'forget', script: scriptOf('remove-kept'), args: [key], ...options });
  }

  /** Ended ones that are old, and signposts into sandboxes that are no more. */
  async collect(dryRun: boolean): Promise<readonly GcItem[]> {
    const items = await Promise.all((await this.#sandboxesWithProcesses()).map((row) => this.#prune(row, dryRun)));
    for (const { id, sandboxId } of dryRun ? [] : await this.#known.all())
      if ((await this.#context.store.sandboxes.find(sandboxId)) === null)
        await retireProcess(this.#known, this.#context.store, id);
    return items.flat();
  }

  async #prune(row: SandboxRow, dryRun: boolean): Promise<readonly GcItem[]> {
    const sandbox = await presentSandbox(this.#context, row).catch(() => null); // one that cannot be asked is asked next time
    if (sandbox === null) return [];
    const kept = await keptIn(this.#context, row, sandbox);
    const ids = await pruneProcesses(kept, { minutes: keepEndedMinutes, dryRun });
    if (!dryRun) for (const id of ids) await retireProcess(this.#known, this.#context.store, id);
    return ids.map((name) => ({
      kind: 'process',
      backend: row.backend,
      name,
      taskId: row.taskId,
      why: 'ended long ago',
    }));
  }

  #redaction(taskId: string): Redaction | null {
    return this.#redactions.of(ownerOf(taskId)).current();
  }

  /** Its words are kept in the sandbox as they are, and run as they are. */
  #shown({ taskId }: SandboxRow, process: DetachedProcess): DetachedProcess {
    const redaction = this.#redaction(taskId);
    return redaction === null ? process : { ...process, command: process.command.map((word) => redaction.text(word)) };
  }

  async #of(row: SandboxRow, options: Options): Promise<readonly TaskProcess[]> {
    const sandbox = await presentSandbox(this.#context, row);
    if (sandbox === null) throw notRunningError(row);
    const processes = await listProcesses(await keptIn(this.#context, row, sandbox, options.signal));
    await this.#freed(row, processes);
    return processes.map((process) => ({ ...this.#shown(row, process), taskId: row.taskId, sandboxId: row.id }));
  }

  /** Places of those that have ended. A store that fails now does it at the next look. */
  async #freed({ id }: SandboxRow, processes: readonly DetachedProcess[]): Promise<void> {
    const ended = noteEnds(this.#context.store, processes);
    await this.#context.store.places.giveKept(ended, id).catch(() => undefined);
  }

  async #kept(
    id: string,
    options: Options,
  ): Promise<{ readonly kept: ProcessDirectory; readonly where: Where; readonly row: SandboxRow }> {
    const known = await this.#known.find(id);
    const row = known === null ? null : await this.#context.store.sandboxes.find(known.sandboxId);
    if (row === null) throw unknownProcessError(id);
    const sandbox = await presentSandbox(this.#context, row);
    if (sandbox === null) throw notRunningError(row);
    const kept = await keptIn(this.#context, row, sandbox, options.signal);
    return { kept, row, where: whereOf({ row, sandbox, how: 'found' }) };
  }

  async #sandboxesWithProcesses(): Promise<readonly SandboxRow[]> {
    const ids = new Set((await this.#known.all()).map(({ sandboxId }) => sandboxId));
    const rows = await Promise.all([...ids].map((id) => this.#context.store.sandboxes.find(id)));
    return rows.filter((row) => row !== null);
  }
}

function notRun(execId: string, taskId: string, note: string): AuditEntry {
  return { type: 'exit', taskId, execId, reason: 'not-started', note: note.slice(0, 500) };
}

/** Nothing for a sandbox that stopped. Any other that cannot be read is a row, since it must not hide those of all others. */
function unread(row: SandboxRow, error: unknown, { signal }: Options): readonly ListedProcess[] {
  signal?.throwIfAborted();
  if (isCode(error, 'failed_precondition') || isCode(error, 'not_found')) return [];
  const { message } = toCaissonError(error);
  return [{ ...unreadable(row.id), taskId: row.taskId, sandboxId: row.id, note: `cannot be read: ${message}` }];
}
