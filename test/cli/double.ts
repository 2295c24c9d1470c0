/** An in-memory service for tests of the front end: state in a map, commands as processes of this machine. */
import { appendFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type {
  Acquired,
  CaissonApi,
  CodeInput,
  Detached,
  ExecEvent,
  ExecInput,
  Options,
  Running,
  SandboxRequest,
  SandboxView,
  Stats,
} from '../../src/service/api.ts';
import { abortError, CaissonError } from '../../src/errors.ts';
import { Fixed, backendsIn, checks, detached, policyWith, secretsOf, usage, wholeRules } from './double-data.ts';
import { limitsPage, topOf, defaultView } from './double-views.ts';
import { files } from './double-files.ts';
import type { Script } from './double-script.ts';
import { startProcess, startTerminal } from './double-exec.ts';
import { sessionsOf } from './double-sessions.ts';

export type { Script };

export class Double extends Fixed implements CaissonApi {
  readonly calls: string[] = [];
  readonly requests: (SandboxRequest & ExecInput)[] = [];
  readonly approved: string[] = [];
  readonly confirmed: string[] = [];
  readonly policy: CaissonApi['policy'];
  readonly backends: CaissonApi['backends'];
  readonly secrets = secretsOf(this.approved);
  readonly #script: Script;
  readonly #sandboxes = new Map<string, SandboxView>();
  #count = 0;

  constructor(script: Script = {}) {
    super();
    this.#script = script;
    this.policy = policyWith(script.rules ?? wholeRules, script.ignored);
    this.backends = { check: (names) => this.#check(names), ...backendsIn(script, this.confirmed) };
    for (const part of script.sandboxes ?? []) this.#add(part);
  }

  get #views(): readonly SandboxView[] {
    return [...this.#sandboxes.values()];
  }

  readonly sandboxes: CaissonApi['sandboxes'] = {
    create: (request, options) => this.#create(request, options),
    list: ({ state } = {}) =>
      Promise.resolve({ items: this.#views.filter((view) => view.state === (state ?? view.state)), nextCursor: null }),
    get: (task) => {
      const noLanes = this.#find(task).backend === 'local' ? 'no setsid here' : null;
      return Promise.resolve({ ...this.#find(task), resource: 'running', noLanes, endsBy: [] });
    },
    update: (task, change) => {
      this.#log(`update ${this.#find(task).taskId} ${JSON.stringify(change)}`);
      return Promise.resolve(this.#find(task));
    },
    touch: (task) => Promise.resolve(this.#find(task)),
    start: (task) =>
      Promise.resolve({ sandbox: this.#find(task), how: 'started', lostSince: this.#script.lostSince ?? null }),
    stop: (task) => Promise.resolve(this.#log(`stop ${this.#find(task).taskId}`)),
    remove: async (task, how = {}, { signal } = {}) => {
      await Promise.resolve(signal?.throwIfAborted());
      this.#drop(this.#find(task), how.keepFiles === true ? ' keeping files' : '');
    },
    limits: (task) => Promise.resolve({ ...limitsPage, taskId: this.#find(task).taskId }),
    stats: (task) => this.#stats(task),
    samples: () => Promise.resolve({ recent: [], minutes: [] }),
    keepSamples: () => undefined,
    top: () => topOf(this.#views, (task) => this.#stats(task)),
    gc: (how) => {
      const of = how.force === undefined ? '' : ` of ${how.force}`;
      this.#log(`gc ${how.dryRun ? 'dry' : 'for real'}${of}`);
      return Promise.resolve(this.#script.garbage ?? []);
    },
  };

  readonly execs: CaissonApi['execs'] = {
    start: (request, options) => this.exec(request, options),
    run: (request, options) => this.run(request, options),
    list: () => Promise.resolve({ items: [], nextCursor: null }),
    get: (id) => Promise.reject(this.#missingError(id)),
    cancel: (id) => Promise.resolve(this.#log(`cancel ${id}`)),
    logs: (id, how) => this.#logs(id, how),
  };

  readonly processes: CaissonApi['processes'] = {
    start: (request) => this.#detach(request),
    list: ({ task } = {}) => {
      this.#log(`processes ${task ?? 'all'}`);
      return Promise.resolve([detached]);
    },
    get: (id) => (id === detached.id ? Promise.resolve(detached) : Promise.reject(this.#missingError(id))),
    input: (id) => Promise.resolve(this.#log(`input ${id}`)),
    wait: (id) => Promise.resolve((this.#log(`wait ${id}`), detached)),
    kill: (id, signal) => {
      this.#log(`kill ${id} ${signal ?? 'all'}`);
      return Promise.resolve({ process: detached, survivors: [] });
    },
  };

  readonly files: CaissonApi['files'] = {
    ...files,
    copyIn: ({ source, task, target }) => {
      this.#log(`in ${source} ${task} ${target}`);
      const skipped = [{ path: 'a\u001b[2Jb', reason: 'a symbolic link' }];
      return Promise.resolve({ files: 2, directories: 1, bytes: 3000, skipped });
    },
    copyOut: ({ task, source, target }) => {
      this.#log(`out ${task} ${source} ${target}`);
      return Promise.resolve({ files: 1, directories: 0, bytes: 12, skipped: [] });
    },
  };

  async #create(request: SandboxRequest, options: Options = {}): Promise<Acquired> {
    this.requests.push({ ...request, command: [''] });
    options.onProgress?.({ what: 'pulling', done: 1_000_000, total: 4_000_000 });
    if (this.#script.createDelayMs !== undefined) await this.#delay(this.#script.createDelayMs, options);
    const taskId = request.taskId ?? `task${(this.#count += 1)}`;
    const known = [...this.#sandboxes.values()].find((sandbox) => sandbox.taskId === taskId || sandbox.id === taskId);
    if (known !== undefined) return { sandbox: known, how: 'found', lostSince: this.#script.lostSince ?? null };
    if (request.existing === true) throw this.#missingError(taskId);
    this.#log(`create ${taskId}`);
    return {
      sandbox: this.#add({
        taskId,
        ephemeral: request.taskId === undefined,
        createdAt: new Date(this.#now()).toISOString(),
      }),
      lostSince: null,
      how: 'created',
    };
  }

  async exec(request: SandboxRequest & (CodeInput | ExecInput), options: Options = {}): Promise<Running> {
    if (!('code' in request)) return await this.#command(request, options);
    const { code, ...rest } = request;
    this.#log(`code ${code.language} ${Buffer.from(code.text).toString()}`);
    return await this.#command({ ...rest, command: ['true'] }, options);
  }

  async #command(request: SandboxRequest & ExecInput, options: Options = {}): Promise<Running> {
    const { sandbox, how, lostSince } = await this.#create(request, options);
    this.requests.push(request);
    const where = {
      backend: 'docker',
      taskId: sandbox.taskId,
      sandboxId: sandbox.id,
      host: 'engine-1',
      resource: 'c1',
      recreated: this.#script.recreated ?? false,
    };
    this.#log(`start ${request.command.join(' ')}`);
    const running =
      request.tty === undefined ? startProcess('exec_1', request, where) : startTerminal('exec_1', request, where);
    const exit = running.exit.then((real) => {
      this.#log(`exit ${real.reason}`);
      if (sandbox.ephemeral) this.#drop(sandbox);
      return { ...real, ...this.#script.exit };
    });
    const unsetVariables = request.skills ?? []; // as if each were a variable
    const reported = { degraded: sandbox.degraded, unsetVariables, missingFiles: [] };
    return { ...running, exit, how: where.recreated ? 'recreated' : how, ...reported, lostSince };
  }

  async run(request: Parameters<CaissonApi['run']>[0], options: Options = {}): ReturnType<CaissonApi['run']> {
    if ('code' in request) {
      const { code: _code, ...rest } = request;
      return await this.run({ ...rest, command: ['true'] }, options);
    }
    const { input, ...command } = request;
    const running = await this.exec({ ...command, stdin: input !== undefined }, options);
    options.signal?.addEventListener('abort', () => void running.cancel());
    if (running.stdin !== null && typeof input === 'object' && 'pipe' in input) input.pipe(running.stdin);
    const [stdout, stderr, exit] = await Promise.all([text(running.stdout), text(running.stderr), running.exit]);
    const kept = (all: string) => ({
      text: all,
      bytes: Buffer.byteLength(all),
      truncated: false,
      omittedBytes: 0,
      cutAt: null,
      cutTo: null,
    });
    return {
      execId: running.id,
      where: running.where,
      lostSince: running.lostSince,
      exit,
      stdout: kept(stdout),
      stderr: kept(stderr),
    };
  }

  async #detach(request: SandboxRequest & ExecInput): Promise<Detached> {
    this.requests.push(request);
    const { taskId } = (await this.#create(request)).sandbox;
    this.#log(`detach ${taskId} ${request.command.join(' ')}`);
    return {
      id: 'exec_1',
      started: true,
      where: { backend: 'docker', taskId, sandboxId: 's', host: null, resource: null, recreated: false },
    };
  }

  readonly sessions = sessionsOf(this, (line) => this.#log(line));

  #stats(task: string): Promise<Stats> {
    if (this.#find(task).backend !== 'docker')
      return Promise.reject(new CaissonError('not_supported', `${task} tells no usage figures`));
    return Promise.resolve(usage);
  }

  async *#logs(id: string, how: { readonly after?: number; readonly follow?: boolean } = {}): AsyncIterable<ExecEvent> {
    this.#log(`logs ${id} ${JSON.stringify(how)}`);
    yield* this.#script.events ?? [];
    await Promise.resolve();
  }

  #check(names?: readonly string[]): ReturnType<CaissonApi['backends']['check']> {
    const unknown = names?.find((name) => !checks.some(({ backend }) => backend === name));
    if (unknown !== undefined)
      return Promise.reject(new CaissonError('invalid_argument', `there is no backend "${unknown}"`));
    return Promise.resolve(checks.filter(({ backend }) => names?.includes(backend) ?? true));
  }

  close(): Promise<void> {
    for (const sandbox of [...this.#sandboxes.values()]) if (sandbox.ephemeral) this.#drop(sandbox);
    return Promise.resolve(this.#log('close'));
  }

  #now(): number {
    return this.#script.nowMs?.() ?? Date.now();
  }

  #log(call: string): void {
    this.calls.push(call);
    if (this.#script.logFile !== undefined) appendFileSync(this.#script.logFile, `${call}\n`);
  }

  #delay(durationMs: number, { signal }: Options): Promise<void> {
    this.#log('asked for a sandbox');
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, durationMs);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(abortError(signal));
      });
    });
  }

  #add(part: Partial<SandboxView>): SandboxView {
    const taskId = part.taskId ?? 'build';
    const time = new Date(this.#now()).toISOString();
    const view: SandboxView = {
      id: `sbx_${taskId.padEnd(16, '0')}`,
      taskId,
      backend: 'docker',
      state: 'ready',
      name: `caisson-${taskId}`,
      ...defaultView,
      generation: 1,
      createdAt: time,
      usedAt: time,
      expiresAt: null,
      ...part,
    };
    this.#sandboxes.set(view.id, view);
    return view;
  }

  #find(task: string): SandboxView {
    const found = [...this.#sandboxes.values()].find(({ id, taskId }) => id === task || taskId === task);
    if (found === undefined) throw this.#missingError(task);
    return found;
  }

  #missingError(task: string): CaissonError {
    return new CaissonError('not_found', `there is no sandbox ${task}`, { remedy: 'caisson ls shows what is there' });
  }

  #drop({ id, taskId }: SandboxView, how = ''): void {
    if (this.#sandboxes.delete(id)) this.#log(`remove ${taskId}${how}`);
  }
}
