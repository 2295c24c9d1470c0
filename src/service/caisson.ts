/** The service object: builds the nouns of the API from its parts, and ends them in order. */
import { homedir } from 'node:os';
import type {
  AccessApi,
  ApprovalsApi,
  AuditApi,
  BackendsApi,
  CaissonApi,
  CloseOptions,
  ConfigView,
  EventsApi,
  ExecsApi,
  FilesApi,
  HistoryApi,
  ImagesApi,
  InstallationApi,
  McpServersApi,
  NetworkApi,
  PolicyApi,
  PoolApi,
  ProcessesApi,
  SandboxesApi,
  SandboxRequest,
  SecretsApi,
  SessionsApi,
  TokensApi,
} from './api.ts';
import { createAccessApi } from './admin/access.ts';
import { createAuditApi } from './admin/audit.ts';
import { createNetworkApi, type NetworkDependencies } from './network/network.ts';
import { createEventsApi } from './admin/events.ts';
import { createHistoryApi, withNotes } from './admin/history.ts';
import { createBackendsApi } from './admin/backends.ts';
import type { GcDependencies } from './admin/gc.ts';
import { type ImageBuilder, createImagesApi } from './admin/images.ts';
import { createInstallationApi } from './admin/installation.ts';
import { createMcpServersApi } from './admin/mcp-servers.ts';
import { poolOf } from './admin/pool.ts';
import { createSecretsApi } from './admin/secrets.ts';
import { createTokensApi } from './admin/tokens.ts';
import { Sweeper } from './admin/sweeper.ts';
import type { Loaded } from '../config/types.ts';
import { CaissonError } from '../errors.ts';
import { endInOrder, type Stage } from './closing.ts';
import { actingAs, itself } from '../lib/author.ts';
import { Admission, type ExecAdmissionInput, type AdmittedExec } from './exec/admission.ts';
import { Attempt, type AttemptDependencies } from './exec/attempt.ts';
import { Execs } from './exec/execs.ts';
import { ExecPlaces } from './exec/places.ts';
import { Processes } from './exec/processes.ts';
import { Provisions } from './exec/provision.ts';
import { RunningExecs } from './exec/running-execs.ts';
import { Sessions } from './exec/sessions.ts';
import { createCopyTools } from './files/copy.ts';
import { withRelativePaths } from './files/relative.ts';
import { fileTools } from './files/tools.ts';
import type { Rulebook } from '../guard/rulebook.ts';
import type { SkillGuard } from '../guard/skills/skills.ts';
import { withKeys } from './inputs.ts';
import type { Plan } from '../plan/types.ts';
import type { Context, StepOptions } from '../sandbox/context.ts';
import { ownedBySelf, removeEphemeral } from '../sandbox/ephemeral.ts';
import { type Within, withSandbox } from '../sandbox/healing.ts';
import { Plans } from '../sandbox/plan.ts';
import type { Pool } from '../pool/pool.ts';
import { Sandboxes } from './sandboxes.ts';
import { approvals } from './verbs/approvals.ts';
import { execs } from './verbs/execs.ts';
import { files } from './verbs/files.ts';
import { processes as processRows } from './verbs/processes.ts';
import { sandboxes } from './verbs/sandboxes.ts';
import { sessions } from './verbs/sessions.ts';
import type { CaissonLibrary } from './library.ts';
import { byTask } from './verbs/task.ts';
import { type TaskHandle, taskHandle } from './verbs/task-handle.ts';

export * from './api.ts';
export type { ImageBuilder } from './admin/images.ts';

export interface CaissonDependencies extends GcDependencies, ExecAdmissionInput, Pick<AttemptDependencies, 'loops'> {
  readonly loaded: Loaded;
  readonly builder: ImageBuilder;
  readonly pool: Pool;
  readonly config: ConfigView;
  readonly policy: PolicyApi;
  readonly network: Pick<NetworkApi, 'checker'>;
  readonly approvals: ApprovalsApi;
  /** What holds for a task. */
  readonly rulebook: Rulebook;
  readonly skills: SkillGuard;
  /** Give back what was opened for the parts. */
  readonly release: readonly Stage[];
}

/** How long `close` waits for a part of which nothing ends. */
const defaultTimeoutMs = 60_000;

export class Caisson implements CaissonLibrary {
  readonly config: ConfigView;
  readonly sandboxes: SandboxesApi;
  readonly execs: ExecsApi;
  readonly processes: ProcessesApi;
  readonly sessions: SessionsApi;
  readonly files: FilesApi;
  readonly pool: PoolApi;
  readonly approvals: ApprovalsApi;
  readonly policy: PolicyApi;
  readonly network: NetworkApi;
  readonly audit: AuditApi;
  readonly history: HistoryApi;
  readonly events: EventsApi;
  readonly images: ImagesApi;
  readonly secrets: SecretsApi;
  readonly access: AccessApi;
  readonly tokens: TokensApi;
  readonly backends: BackendsApi;
  readonly mcpServers: McpServersApi;
  readonly installation: InstallationApi;
  readonly #context: Context;
  readonly #running = new RunningExecs();
  readonly #openSessions: Sessions;
  readonly #sweeper: Sweeper;
  readonly #release: CaissonDependencies['release'];
  #closing: Promise<void> | null = null;
  readonly #ending = new AbortController();

  constructor(parts: CaissonDependencies) {
    const { context, loaded, origin, journal, guard, rulebook, backendNames: names } = parts;
    const { env, cwd } = origin;
    this.#context = context;
    this.#release = parts.release;
    this.config = parts.config;
    this.policy = parts.policy;
    const redaction: NetworkDependencies['redaction'] = (owner) => origin.redactions.of(owner).current();
    this.network = { ...parts.network, ...createNetworkApi({ context, env, redaction }) };
    this.approvals = byTask(parts.approvals, approvals);
    this.pool = poolOf(parts.pool);
    this.audit = createAuditApi(context);
    this.history = createHistoryApi(context);
    this.events = createEventsApi(context);
    this.images = createImagesApi(parts);
    this.secrets = createSecretsApi(loaded, parts.skills);
    this.access = createAccessApi(context, loaded, env);
    this.tokens = createTokensApi(context, env);
    this.mcpServers = createMcpServersApi(loaded, guard);
    this.#sweeper = new Sweeper(parts);

    const plans = new Plans(context, { loaded, cwd });
    this.backends = createBackendsApi({ context, names, modules: loaded.config.backends, plans, env });
    const defaultBackend = loaded.config.terminal.backend;
    const { backends, config } = this;
    this.installation = createInstallationApi({ context, running: this.#running, backends, config, defaultBackend });
    const plan = (request: SandboxRequest, options: StepOptions): Promise<Plan> => plans.planFor(request, options);
    const planOf = (task: string, options: StepOptions): Promise<Plan> =>
      plan({ taskId: task, existing: true }, options);
    const within: Within = async (task, options, work) =>
      await withSandbox(context, await planOf(task, options), options, work);

    const running = this.#running;
    const provisions = new Provisions(context, origin);
    const attempt = (admitted: AdmittedExec): Attempt => new Attempt({ ...parts, provisions, running }, admitted);
    const admission = new Admission(parts, provisions);
    const keepBytes = loaded.config.exec.output_bytes;
    const places = new ExecPlaces(context);
    const processes = new Processes({ context, origin, admission, places, attempt, plan });
    this.processes = byTask(processes, processRows);
    const bounds = { keepBytes, streamBytes: loaded.config.policy.profile === 'strict' ? keepBytes : null };
    const shared = { context, admission, places, attempt, running, ...bounds };
    this.execs = byTask(new Execs({ ...shared, journal, origin, processes, plan }), execs);
    this.#openSessions = new Sessions({ ...shared, plan: planOf });
    this.sessions = byTask(this.#openSessions, sessions);
    const { signal: closing } = this.#ending;
    const own = new Sandboxes({ ...parts, processes, sweeper: this.#sweeper, closing, plan, plans, within });
    this.sandboxes = byTask(withKeys(own, sandboxes), sandboxes);
    const tools = fileTools({
      context,
      guard,
      rulebook,
      env,
      cwd,
      within,
      closing: this.#ending.signal,
      redactions: origin.redactions,
    });
    const copies = { ...tools, ...createCopyTools({ context, userHome: env['HOME'] ?? homedir(), within }) };
    const found = { ...copies, ...withNotes(context, copies) };
    this.files = withKeys(withRelativePaths(found, files, { planOf, cwd }), files);
  }

  readonly run: CaissonApi['run'] = (request, options) => this.execs.run(request, options);

  readonly exec: CaissonApi['exec'] = (request, options) => this.execs.start(request, options);

  async close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= actingAs(itself('shutdown', null), () => this.#close(options));
    await this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close({ awaitRemovals = true, patienceMs = defaultTimeoutMs, onWaiting }: CloseOptions): Promise<void> {
    this.#sweeper.stop();
    this.#ending.abort(new CaissonError('canceled', 'Caisson was closed'));
    const stages = [...this.#running.ending({ awaitRemovals }), ...this.#leaving(awaitRemovals), ...this.#release];
    await endInOrder(stages, { patienceMs, onWaiting, onGivenUp: () => this.#running.giveUp() });
  }

  task(id: string): TaskHandle<CaissonApi> {
    return taskHandle(this, id);
  }

  /** What this process holds of sandboxes when none of its commands runs any more. */
  #leaving(awaitRemovals: boolean): readonly Stage[] {
    const context = this.#context;
    let owned: Awaited<ReturnType<typeof ownedBySelf>> = [];
    const find = async (): Promise<void> => void (owned = await ownedBySelf(context, { ending: awaitRemovals }));
    const { givenUp: signal } = this.#running;
    return [
      () => {
        context.uses.close();
        this.#openSessions.closeAll();
        return [{ what: 'the sweep that goes on', ended: this.#sweeper.settled() }];
      },
      () => [{ what: 'the list of sandboxes', ended: find() }],
      () =>
        owned.map((row) => ({ what: `the removal of ${row.id}`, ended: removeEphemeral(context, row, { signal }) })),
      () =>
        [...context.measuring].map(([id, ended]) => ({ what: `the look at ${id}`, ended: ended.catch(() => null) })),
      () => {
        for (const sandbox of context.live.values()) sandbox.close();
        return [];
      },
    ];
  }
}
