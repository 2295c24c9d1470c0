/** The sessions of this process: opened on use, one call at a time each, closed when the service ends. */
import type {
  Options,
  Running,
  RunningText,
  SessionInput,
  SessionName,
  SessionResult,
  SessionsApi,
  SessionView,
} from '../api.ts';
import type { Process, Sandbox } from '../../backend.ts';
import { abortError, CaissonError } from '../../errors.ts';
import { collect } from '../../exec/collect.ts';
import { heard } from '../../exec/heard.ts';
import { identityOf } from '../../exec/identity.ts';
import { newExecId, newNonce } from '../../exec/random.ts';
import { runScript } from '../../inside/run.ts';
import { scriptOf } from '../../inside/script.ts';
import { timed } from '../../lib/timed.ts';
import { checkedText, checkSessionName } from '../../exec/session/request.ts';
import { sessionStart } from '../../exec/session/script.ts';
import { Session } from '../../exec/session/session.ts';
import type { Admission, AdmittedExec } from './admission.ts';
import type { Attempt } from './attempt.ts';
import { capped } from './capped.ts';
import type { ExecPlaces } from './places.ts';
import type { RunningExecs } from './running-execs.ts';
import { checkKeys } from '../inputs.ts';
import { sessions } from '../verbs/sessions.ts';
import type { Context, Handle, StepOptions } from '../../sandbox/context.ts';
import { withSandbox } from '../../sandbox/healing.ts';
import type { Plan } from '../../plan/types.ts';
import { keptIn } from '../../sandbox/present.ts';
import { checkExecEnv } from '../../values/env.ts';

interface SessionEntry {
  session: Session | null;
  /** The text that was started last; never rejects. */
  text: Promise<unknown>;
  last: Promise<unknown>;
}

export interface SessionsDependencies {
  readonly context: Context;
  readonly admission: Admission;
  readonly places: ExecPlaces;
  readonly attempt: (admitted: AdmittedExec) => Attempt;
  readonly running: RunningExecs;
  readonly plan: (task: string, options: StepOptions) => Promise<Plan>;
  /** See `ExecsParts`. */
  readonly keepBytes: number;
  readonly streamBytes: number | null;
}

const shownCharacters = 1000;

type TextInput = Omit<SessionInput, 'text'> & { readonly text: string };

export class Sessions implements SessionsApi {
  readonly #parts: SessionsDependencies;
  readonly #held = new Map<string, SessionEntry>();

  constructor(parts: SessionsDependencies) {
    this.#parts = parts;
  }

  async open(session: SessionName, options: Options = {}): Promise<SessionView> {
    checkKeys(session, sessions.open.keys);
    const { taskId, name } = session;
    checkSessionName(name);
    return await this.#queued(taskId, name, options, async (handle, held) => {
      const fresh = held.session === null || held.session.hasEnded;
      const { opened } = await this.#ready(handle, name, held);
      const restored = fresh && opened?.restored === true;
      return { name, open: true, shell: opened?.shell ?? null, restored, lost: restored ? opened.lost : [] };
    });
  }

  async exec(input: SessionInput, options: Options = {}): Promise<RunningText> {
    const running = await this.#text(input, options);
    const { streamBytes } = this.#parts;
    return heard(streamBytes === null ? running : { ...running, ...capped(running, streamBytes) }, options);
  }

  async #text(given: SessionInput, options: Options): Promise<RunningText> {
    checkKeys(given, sessions.exec.keys);
    checkSessionName(given.name);
    const input = { ...given, text: checkedText(given.text) };
    checkExecEnv(input.env ?? {});
    return await this.#queued(input.taskId, input.name, options, async (handle, held, plan) => {
      const isNew = held.session === null || held.session.hasEnded;
      const session = await this.#ready(handle, input.name, held);
      const running = await this.#parts.places.during(
        { taskId: plan.taskId, caller: options.caller },
        async () =>
          await timed(options, 'start', async () => await this.#start({ session, handle, plan, input }, options)),
        async ({ exit }) => await exit,
      );
      const settled = this.#parts.running.settled(running.id).catch(() => undefined); // what could not be cleared away is swept
      const end = settled.then(() => ({ sessionEnded: session.hasEnded, endStatus: session.endStatus }));
      held.text = end;
      const restored = isNew && session.opened?.restored === true;
      const lost = restored ? (session.opened?.lost ?? []) : [];
      return { ...running, restored, lost, session: end };
    });
  }

  async run(input: SessionInput, options: Options = {}): Promise<SessionResult> {
    const running = await this.#text(input, options);
    const { id: execId, where, lostSince, restored, lost } = running;
    const { onStdout, onStderr } = options;
    const collected = await collect(running, { keepBytes: this.#parts.keepBytes, onStdout, onStderr });
    return { execId, where, lostSince, ...collected, restored, lost, ...(await running.session) };
  }

  async close(session: SessionName, options: Options = {}): Promise<void> {
    checkKeys(session, sessions.close.keys);
    const name = checkSessionName(session.name);
    await this.#queued(session.taskId, name, options, async (handle, held) => {
      held.session?.close();
      held.session = null;
      const { sandbox, key } = await keptIn(this.#parts.context, handle.row, handle.sandbox);
      await runScript(sandbox, {
        name: 'session',
        script: scriptOf('kept', 'sessions/forget'),
        args: [key, name],
        signal: options.signal,
      });
    });
  }

  async list(taskId: string, options: Options = {}): Promise<readonly SessionView[]> {
    const plan = await this.#parts.plan(taskId, options);
    return await withSandbox(this.#parts.context, plan, options, async (handle) => {
      const { sandbox, key } = await keptIn(this.#parts.context, handle.row, handle.sandbox);
      const { text } = await runScript(sandbox, {
        name: 'session',
        script: scriptOf('kept', 'sessions/forget'),
        args: [key, ''],
        signal: options.signal,
      });
      const kept = text.split('\n').filter((line) => /^[a-z0-9][a-z0-9_-]{0,62}$/.test(line));
      const own = [...this.#held.keys()].flatMap((id) =>
        id.startsWith(`${handle.row.id}/`) ? [id.slice(handle.row.id.length + 1)] : [],
      );
      const names = [...new Set([...kept, ...own])].toSorted();
      return names.flatMap((name) => {
        const session = this.#held.get(`${handle.row.id}/${name}`)?.session ?? null;
        const open = session !== null && !session.hasEnded;
        return open || kept.includes(name)
          ? [{ name, open, shell: open ? (session.opened?.shell ?? null) : null, restored: false, lost: [] }]
          : [];
      });
    });
  }

  /** Their shells end; their state stays in the sandbox. */
  closeAll(): void {
    for (const { session } of this.#held.values()) session?.close();
    this.#held.clear();
  }

  /** First in, first out. A caller that is canceled while it waits loses only its own turn. */
  async #queued<T>(
    taskId: string,
    name: string,
    options: Options,
    work: (handle: Handle, held: SessionEntry, plan: Plan) => Promise<T>,
  ): Promise<T> {
    const plan = await this.#parts.plan(taskId, options);
    return await withSandbox(this.#parts.context, plan, options, async (handle) => {
      const id = `${handle.row.id}/${name}`;
      const held = this.#held.get(id) ?? { session: null, text: Promise.resolve(), last: Promise.resolve() };
      this.#held.set(id, held);
      const turn = held.last.then(async () => {
        if (options.signal?.aborted === true) throw abortError(options.signal);
        return await work(handle, held, plan);
      });
      held.last = turn.then(() => held.text).catch(() => held.text);
      return await turn;
    });
  }

  async #ready({ row, sandbox }: Handle, name: string, held: SessionEntry): Promise<Session> {
    if (held.session !== null && !held.session.hasEnded) return held.session;
    const { key } = await keptIn(this.#parts.context, row, sandbox);
    const nonce = newNonce();
    const { command, program } = sessionStart(key, nonce, name);
    const process = await sandbox.exec(command, {
      cwd: row.spec.cwd,
      env: { CAISSON_EXEC: 'session' },
      stdin: true,
    });
    const session = new Session(process);
    await session.open(nonce, program);
    held.session = session;
    return session;
  }

  async #start(
    call: { readonly session: Session; readonly handle: Handle; readonly plan: Plan; readonly input: TextInput },
    options: Options,
  ): Promise<Running> {
    const { session, handle, plan, input } = call;
    const { admission, attempt: attemptOf } = this.#parts;
    const { text, name, env = {}, timeoutMs } = input;
    const command = ['session', name, text.slice(0, shownCharacters)] as const;
    const execId = input.execId ?? newExecId();
    const timeout = timeoutMs === undefined ? {} : { timeoutMs };
    const wanted = { execId, command, cwd: handle.row.spec.cwd, env, ...timeout };
    const look = async (names: readonly string[]) => await session.look(names);
    const identity = identityOf({ taskId: handle.row.taskId, words: ['session', name, text] });
    const proposal = { plan, input: wanted, subject: { kind: 'text', text }, look, identity } as const;
    const attempt = attemptOf(await admission.admit(proposal, options));
    const request = await attempt.prepare(handle, options);
    const { subject } = attempt.admitted.call;
    const sandbox = runningIn(session, handle.sandbox, subject.kind === 'text' ? subject.text : text);
    return await attempt.launch({ ...handle, sandbox }, request, options);
  }
}

/** The first command is the text, run by the session; whatever comes after it is there to end it. */
function runningIn(session: Session, sandbox: Sandbox, text: string): Sandbox {
  const guarded = session.guarded(sandbox);
  let process: Process | null = null;
  return {
    ...guarded,
    exec: async (command, options) => {
      if (process !== null) return await guarded.exec(command, options);
      if (options.signal?.aborted === true) throw abortError(options.signal);
      if (session.hasEnded) throw new CaissonError('unavailable', 'the shell of the session has just ended');
      process = session.run(text, options.env);
      return process;
    },
  };
}
