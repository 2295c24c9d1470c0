/**
 * The service object: everything a front end may call. One method a verb; each names the steps in order and holds no
 * logic of its own.
 */
import { homedir } from 'node:os';
import type {
  Acquired,
  BackendCheck,
  CaissonApi,
  ConfigView,
  CodeInput,
  Detached,
  DetachedProcess,
  ExecEvent,
  ExecInput,
  GcItem,
  Inspected,
  Killed,
  Options,
  RunInput,
  Running,
  RunResult,
  SandboxRequest,
  SandboxView,
  Stats,
  TaskProcess,
} from './api.ts';
import type { Loaded } from '../config/types.ts';
import { accessOf } from './admin/access.ts';
import { auditOf } from './admin/audit.ts';
import { sandboxIn, type Wanted } from './exec/request.ts';
import { type CodeRun, codeRun, codeWords, feedCode } from './exec/code.ts';
import { isCode } from '../errors.ts';
import { copiesOf } from './files/copy.ts';
import { collect } from '../exec/collect.ts';
import { identityOf } from '../exec/identity.ts';
import type { ExecRequest } from '../exec/types.ts';
import { feed } from './exec/stdin.ts';
import { type ExecParts, Execs } from './exec/execs.ts';
import { fileTools } from './files/tools.ts';
import type { Rulebook } from '../guard/rulebook.ts';
import { type ImageBuilder, imagesOf } from './admin/images.ts';
import { checkKeys, copyKeys, fileKeys, requestKeys, sessionKeys, withKeys } from './inputs.ts';
import { mcpServersOf } from './admin/mcp-servers.ts';
import { gc, type GcParts } from './admin/gc.ts';
import { Processes } from './exec/detached.ts';
import { recordOf } from './exec/logs.ts';
import { repeated, type RepeatedId } from './exec/replay.ts';
import { secretsOf } from './admin/secrets.ts';
import { Sessions, sessionsOf } from './exec/sessions.ts';
import { acquire } from '../sandbox/acquire.ts';
import type { Context, Handle, StepOptions } from '../sandbox/context.ts';
import { removeSandbox, stopSandbox } from '../sandbox/end.ts';
import { inspectSandbox } from '../sandbox/inspect.ts';
import { type Within, withSandbox } from '../sandbox/healing.ts';
import { measured } from '../sandbox/measure.ts';
import { removeOwned } from '../sandbox/owned.ts';
import { Plans } from '../sandbox/plan.ts';
import type { Plan } from '../plan/types.ts';
import { readStats } from '../sandbox/stats.ts';
import { viewOf } from '../sandbox/view.ts';
import { Sweeper } from './admin/sweeper.ts';
import { trustOf } from './admin/trust.ts';

export * from './api.ts';
export type { ImageBuilder } from './admin/images.ts';

export interface Parts extends GcParts, ExecParts {
  readonly loaded: Loaded;
  readonly builder: ImageBuilder;
  readonly config: ConfigView;
  readonly policy: CaissonApi['policy'];
  /** What holds for a task. */
  readonly rulebook: Rulebook;
  readonly hooks: CaissonApi['hooks'];
  /** Gives back what was opened for the parts. */
  readonly release: () => Promise<void>;
}

export class Caisson implements CaissonApi {
  readonly config: ConfigView;
  readonly policy: CaissonApi['policy'];
  readonly audit: CaissonApi['audit'];
  readonly hooks: CaissonApi['hooks'];
  readonly trust: CaissonApi['trust'];
  readonly images: CaissonApi['images'];
  readonly mcpServers: CaissonApi['mcpServers'];
  readonly secrets: CaissonApi['secrets'];
  readonly access: CaissonApi['access'];
  readonly files: CaissonApi['files'];
  readonly copyIn: CaissonApi['copyIn'];
  readonly copyOut: CaissonApi['copyOut'];
  readonly sessions: CaissonApi['sessions'];
  readonly #parts: Parts;
  readonly #context: Context;
  readonly #plans: Plans;
  readonly #execs: Execs;
  readonly #processes: Processes;
  readonly #sessions: Sessions;
  readonly #sweeper: Sweeper;
  #closing: Promise<void> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#context = parts.context;
    this.config = parts.config;
    this.policy = parts.policy;
    this.hooks = parts.hooks;
    this.audit = auditOf(parts.context);
    this.trust = trustOf(parts.context, parts.origin.env);
    this.#plans = new Plans(parts.context, { loaded: parts.loaded, cwd: parts.origin.cwd });
    this.#execs = new Execs(parts);
    this.#processes = new Processes(parts);
    this.#sessions = new Sessions({
      context: parts.context,
      execs: this.#execs,
      plan: (taskId, options) => this.#plan({ taskId, existing: true }, options),
      keepBytes: parts.loaded.config.exec.output_bytes,
    });
    this.sessions = withKeys(sessionsOf(this.#sessions), sessionKeys);
    this.images = imagesOf(parts);
    this.mcpServers = mcpServersOf(parts.loaded);
    this.secrets = secretsOf(parts.loaded);
    this.access = accessOf(parts.context, parts.loaded, parts.origin.env);
    const within: Within = (task, options, work) => this.#within(task, options, work);
    const { context, guard, rulebook, origin } = parts;
    this.files = withKeys(fileTools({ context, guard, rulebook, env: origin.env, cwd: origin.cwd, within }), fileKeys);
    const userHome = origin.env['HOME'] ?? homedir();
    ({ copyIn: this.copyIn, copyOut: this.copyOut } = withKeys(copiesOf({ context, userHome, within }), copyKeys));
    this.#sweeper = new Sweeper(parts);
  }

  async create(request: SandboxRequest, options: Options = {}): Promise<Acquired> {
    checkKeys(request, requestKeys.create);
    const plan = await this.#plan(request, options);
    const handle = await acquire(this.#context, plan, options);
    const effective = await measured(this.#context, handle.row, handle.sandbox);
    return { sandbox: viewOf({ ...handle.row, effective }, handle.sandbox.place), how: handle.how };
  }

  async exec(request: SandboxRequest & ExecInput, options: Options = {}): Promise<Running> {
    checkKeys(request, requestKeys.exec);
    const identity = identityOf({ ...request, words: request.command });
    const wanted = async (): Promise<Wanted> => {
      return { plan: await this.#plan(sandboxIn(request), options), wish: { input: request, identity } };
    };
    const known = await this.#repeated({ ...request, identity }, options, wanted);
    return known ?? (await this.#start(await wanted(), options));
  }

  async code(input: SandboxRequest & CodeInput, options: Options = {}): Promise<Running> {
    checkKeys(input, requestKeys.code);
    const { code, ...request } = input;
    const identity = identityOf({ ...request, words: codeWords(code) });
    const wanted = async (): Promise<CodeRun> =>
      codeRun(await this.#plan(sandboxIn(request), options), { ...request, code, identity }, this.#parts.origin);
    const known = await this.#repeated({ ...request, identity }, options, wanted);
    if (known !== null) return known;
    const { program, ...rest } = await wanted();
    return feedCode(this.#context, await this.#start(rest, options), program);
  }

  async #fed({ input, ...request }: SandboxRequest & RunInput, options: Options): Promise<Running> {
    const running = await this.exec({ ...request, stdin: input !== undefined }, options);
    if (running.stdin !== null) void feed(running.stdin, input ?? '');
    return running;
  }

  async #start({ plan, wish }: Wanted, options: Options): Promise<Running> {
    const attempt = await this.#execs.admit(plan, wish, options);
    try {
      const start = (handle: Handle): Promise<Running> => this.#execs.start(handle, attempt, options);
      return await withSandbox(this.#context, attempt.plan, options, start);
    } catch (error) {
      await this.#execs.failed(attempt, error);
      const execId = isCode(error, 'already_exists') ? attempt.request.execId : undefined;
      const known = await this.#repeated({ execId, identity: attempt.identity, taskId: plan.taskId }, options);
      if (known === null) throw error;
      return known;
    }
  }

  /** `wanted`: what rules may deny by now. Absent: that was judged just before. */
  async #repeated(repeat: RepeatedId, options: Options, wanted?: () => Promise<Wanted>): Promise<Running | null> {
    const parts = { context: this.#context, journal: this.#parts.journal, execs: this.#execs };
    const judge = async (): Promise<void> => {
      if (wanted !== undefined) await this.#execs.judgeRepeat(await wanted(), options);
    };
    return await repeated(parts, { ...repeat, judge }, options);
  }

  async detach(request: SandboxRequest & ExecInput, options: Options = {}): Promise<Detached> {
    checkKeys(request, requestKeys.exec);
    const identity = identityOf({ ...request, words: request.command });
    const plan = await this.#plan(sandboxIn(request), options);
    const attempt = await this.#execs.admit(plan, { input: request, identity }, options);
    const ready = (handle: Handle): Promise<ExecRequest> => this.#execs.ready(handle, attempt, options);
    return await this.#processes.detach({ plan: attempt.plan, identity }, ready, options);
  }

  async processes(task?: string, options: Options = {}): Promise<readonly TaskProcess[]> {
    return await this.#processes.list(task, options);
  }

  async wait(processId: string, options: Options = {}): Promise<DetachedProcess> {
    return await this.#processes.wait(processId, options);
  }

  async kill(processId: string, signal?: string, options: Options = {}): Promise<Killed> {
    return await this.#processes.kill(processId, signal, options);
  }

  async run(request: SandboxRequest & (CodeInput | RunInput), options: Options = {}): Promise<RunResult> {
    checkKeys(request, requestKeys.run);
    const running = await ('code' in request ? this.code(request, options) : this.#fed(request, options));
    const collected = await collect(running, { keepBytes: this.#parts.loaded.config.exec.output_bytes });
    await this.#execs.settled(running);
    return { execId: running.id, where: running.where, ...collected };
  }

  async list(): Promise<readonly SandboxView[]> {
    return (await this.#context.store.sandboxes()).map((row) => viewOf(row, null));
  }

  async inspect(task: string, options: Options = {}): Promise<Inspected> {
    return await inspectSandbox(this.#context, task, options);
  }

  async stop(task: string, options: Options = {}): Promise<void> {
    await stopSandbox(this.#context, task, options);
  }

  async start(task: string, options: Options = {}): Promise<Acquired> {
    return await this.create({ taskId: task, existing: true }, options);
  }

  async remove(task: string, how: { readonly keepFiles?: boolean } = {}, options: Options = {}): Promise<void> {
    if (how.keepFiles !== true) await this.#processes.forgetSandbox(task, options);
    await removeSandbox(this.#context, task, { ...options, keepFiles: how.keepFiles ?? false });
  }

  async stats(task: string, options: Options = {}): Promise<Stats> {
    return await this.#within(task, options, async (handle) => await readStats(handle, options));
  }

  async gc(how: { readonly dryRun: boolean }): Promise<readonly GcItem[]> {
    await this.#sweeper.settled(); // what it works on is held by us, and would be passed over
    return [...(await this.#processes.collect(how.dryRun)), ...(await gc(this.#parts, how))];
  }

  async *logs(
    id: string,
    how: { readonly after?: number; readonly follow?: boolean } = {},
    options: Options = {},
  ): AsyncIterable<ExecEvent> {
    yield* recordOf({ ...this.#parts, processes: this.#processes }, { id, how }, options);
  }

  async checks(
    names: readonly string[] = this.#parts.backendNames,
    options: Options = {},
  ): Promise<readonly BackendCheck[]> {
    return await Promise.all(
      names.map(async (name) => ({ backend: name, check: await (await this.#context.backend(name)).check(options) })),
    );
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    this.#sweeper.stop();
    await this.#execs.close();
    this.#sessions.closeAll();
    await this.#sweeper.settled();
    await removeOwned(this.#context);
    await Promise.allSettled(this.#context.measuring.values());
    for (const sandbox of this.#context.live.values()) sandbox.close();
    await this.#parts.release();
  }

  async #plan(request: SandboxRequest, options: StepOptions): Promise<Plan> {
    return await this.#plans.planFor(request, options);
  }

  async #within<T>(task: string, options: StepOptions, work: (handle: Handle) => Promise<T>): Promise<T> {
    const plan = await this.#plan({ taskId: task, existing: true }, options);
    return await withSandbox(this.#context, plan, options, work);
  }
}
