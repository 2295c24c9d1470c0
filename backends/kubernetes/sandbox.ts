import type {
  Cancelable,
  DestroyOptions,
  ExecOptions,
  PowerOptions,
  Process,
  PtyOptions,
  PtyProcess,
  Ref,
  ResourceState,
  Sandbox,
} from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { throwIfAborted, untilAborted } from '../shared/abort.ts';
import type { Launch } from '../shared/preamble.ts';
import { type Made, removeBoth } from './create.ts';
import type { Here } from './here.ts';
import { InitProcess } from './init.ts';
import { identityOf, type Named } from './namespace.ts';
import type { Pod } from './objects.ts';
import { PodTarget } from './pod-target.ts';
import { type Attached, reported } from './ready.ts';
import { startAgain } from './restart.ts';
import { labelsOf } from './records.ts';
import { runScript } from './script.ts';
import { startProcess, startTerminal } from './start.ts';
import { answersError } from './silence.ts';
import { isReported, isUnresponsive, resourceState } from './state.ts';

/** A node that hangs lets each command wait for much longer. */
const answerWithinMs = 5000;
/** A node whose processor is busy reports late. */
const learnWithinMs = 30_000;

/** The uid is of what survives: of the claim where files are kept, else of the pod. */
export function refOf(
  namespace: string,
  { pod, claim }: { readonly pod: Pod | null; readonly claim: Made['claim'] },
): Ref {
  const { name, uid } = identityOf(claim ?? pod ?? {});
  return { v: 1, namespace, name, uid, keeps: claim !== null };
}

export interface Known {
  /** `null`: it is stopped. */
  readonly pod: Pod | null;
  readonly claim: Made['claim'];
}

export class KubernetesSandbox implements Sandbox {
  readonly relay = true;
  readonly ref: Ref;
  readonly power?: NonNullable<Sandbox['power']>;
  readonly abandon = (options: Cancelable = {}): Promise<void> => this.#abandon(options);
  readonly init?: Process;
  readonly memory: NonNullable<Sandbox['memory']> = {
    kills: () => this.#target?.memory.kills() ?? 0,
    look: async () => await this.#target?.memory.look?.(),
  };
  readonly pty: NonNullable<Sandbox['pty']> = { exec: (command, options) => this.#onTerminal(command, options) };
  readonly #here: Here;
  readonly #claim: Named | null;
  /** Id of the sandbox, by which its pods are known where files are kept. */
  readonly #id: string | null;
  #pod: Pod | null;
  #target: PodTarget | null;
  #state: ResourceState;

  constructor(here: Here, { pod, claim }: Known, attached: Attached | null = null) {
    this.#here = here;
    this.#claim = claim === null ? null : identityOf(claim);
    this.#id = claim === null ? null : sandboxOf(claim);
    this.#pod = pod;
    this.#target = this.#targetOf(pod, attached !== null);
    this.#state = pod === null ? 'stopped' : attached === null ? resourceState(pod) : 'running';
    this.ref = refOf(here.namespace.name, { pod, claim });
    const target = this.#target;
    if (attached !== null && target !== null)
      this.init = new InitProcess(attached, (end) => target.explainedFirst(end));
    if (claim !== null)
      this.power = { stop: (options) => this.#stop(options), start: (options) => this.#start(options) };
    if (attached !== null) void this.#learn(attached.pod);
  }

  get state(): ResourceState {
    return this.#state;
  }

  get place(): Sandbox['place'] {
    const { spec, status } = this.#pod ?? {};
    const [digest] = /sha256:[0-9a-f]{64}$/.exec(status?.containerStatuses?.[0]?.imageID ?? '') ?? [];
    const { context, namespace } = this.#here.namespace.api.access.place;
    return {
      host: `${context}/${spec?.nodeName ?? namespace}`,
      resource: `${String(this.ref['namespace'])}/${String(this.ref['name'])}`,
      imageDigest: digest ?? null,
    };
  }

  async exec(command: readonly [string, ...string[]], options: ExecOptions): Promise<Process> {
    throwIfAborted(options);
    const { cwd, env, stdin } = options;
    const launch: Launch = { command, cwd, env, stdin, guard: null, terminal: null };
    const target = await this.target();
    target.throwIfSilent();
    // A sandbox that was found again has no count yet.
    if (target.begin.current() === null) target.begin().catch(() => undefined);
    return await startProcess(target, launch, options);
  }

  async destroy(options: DestroyOptions = {}): Promise<void> {
    throwIfAborted(options);
    const pod = await this.#currentPod();
    await removeBoth(this.#here.namespace, { pod: pod === null ? null : identityOf(pod), claim: this.#claim }, options);
    this.#pod = null;
    this.#target = null;
  }

  /** Throws where no command can be started. */
  async target(): Promise<PodTarget> {
    if (this.#target !== null) return this.#target;
    // It may have been started by another process since.
    const pod = await this.#currentPod();
    if (pod === null) throw await this.#absent();
    this.#pod = pod;
    this.#target = this.#targetOf(pod);
    return this.target();
  }

  async #onTerminal(command: readonly [string, ...string[]], options: PtyOptions): Promise<PtyProcess> {
    throwIfAborted(options);
    const { cwd, env, columns, rows } = options;
    const launch: Launch = { command, cwd, env, stdin: true, guard: null, terminal: { columns, rows } };
    const target = await this.target();
    target.throwIfSilent();
    return await startTerminal(target, launch, options);
  }

  async #stop(options: PowerOptions): Promise<void> {
    throwIfAborted(options);
    const pod = await this.#currentPod();
    if (pod === null) await this.#claimOrThrow();
    else await removeBoth(this.#here.namespace, { pod: identityOf(pod), claim: null }, options);
    this.#pod = null;
    this.#target = null;
    this.#state = 'stopped';
  }

  async #abandon(options: Cancelable): Promise<void> {
    throwIfAborted(options);
    const pod = await this.#currentPod();
    if (pod !== null) {
      if (!isUnresponsive(pod) || (await this.#doesAnswer(pod, options))) throw answersError(String(this.ref['name']));
      await this.#here.namespace.force(identityOf(pod), options);
    }
    this.#pod = null;
    this.#target = null;
    this.#state = 'stopped';
  }

  /** The cluster takes a node that is back for lost until its next report: one that runs a command is there. */
  async #doesAnswer(pod: Pod, options: Cancelable): Promise<boolean> {
    const target = this.#targetOf(pod);
    if (target === null) return false;
    const isLate = AbortSignal.timeout(answerWithinMs);
    const bounded = options.signal === undefined ? isLate : AbortSignal.any([options.signal, isLate]);
    try {
      await untilAborted(runScript(target, 'memory', [], bounded), bounded);
      return true;
    } catch {
      throwIfAborted(options);
      return false;
    }
  }

  async #start(options: PowerOptions): Promise<void> {
    throwIfAborted(options);
    const claim = await this.#claimOrThrow();
    const pod = await startAgain(this.#here, claim, options);
    this.#pod = pod;
    this.#target = this.#targetOf(pod, true);
    this.#state = 'running';
    void this.#learn(pod);
  }

  /** Which image it runs is reported after its first commands. */
  async #learn(pod: Pod): Promise<void> {
    const { namespace } = this.#here;
    const { uid } = identityOf(pod);
    namespace.begun.add(uid);
    const now = await reported(namespace, pod, { withinMs: learnWithinMs, isAwaited: false }).catch(() => pod);
    if (isReported(now)) namespace.begun.delete(uid);
    if (this.#pod?.metadata?.uid === uid) this.#pod = now;
  }

  #targetOf(pod: Pod | null, isNew = false): PodTarget | null {
    if (pod === null) return null;
    return new PodTarget(this.#here, pod, {
      pod: identityOf(pod),
      isNew,
      keeps: this.#claim !== null,
      absent: () => this.#absent(),
    });
  }

  /** `null`: it has none. One of an ephemeral sandbox has its uid, one that keeps files its name and labels. */
  async #currentPod(): Promise<Pod | null> {
    const named = { name: String(this.ref['name']), uid: String(this.ref['uid']) };
    return await ownPod(this.#here, named, this.#claim === null ? null : { id: this.#id });
  }

  async #claimOrThrow() {
    const claim = this.#claim === null ? null : await this.#here.namespace.claim(this.#claim.name);
    if (claim !== null && claim.metadata?.uid === this.#claim?.uid) return claim;
    throw goneError(String(this.ref['name']));
  }

  async #absent(): Promise<CaissonError> {
    const name = String(this.ref['name']);
    if (this.#claim === null) return goneError(name);
    await this.#claimOrThrow();
    return new CaissonError('failed_precondition', `the sandbox ${name} is stopped`, {
      details: { resource: name },
      remedy: 'start it first',
    });
  }
}

/** Id of the sandbox, of which what is not Caisson's has none. */
export function sandboxOf({ metadata }: Pod): string | null {
  return labelsOf(metadata)?.sandbox ?? null;
}

/** `keeps`: the sandbox whose pods come and go, while its files stay. A namesake is left alone. */
export async function ownPod(
  { namespace }: Here,
  { name, uid }: Named,
  keeps: { readonly id: string | null } | null,
): Promise<Pod | null> {
  const pod = await namespace.pod(name);
  if (keeps === null) return pod?.metadata?.uid === uid ? pod : null;
  if (pod === null || keeps.id === null || sandboxOf(pod) !== keeps.id) return null;
  // One that its node is ending is as good as gone. Where the node does not answer, its processes may write on.
  const isEnding = pod.metadata?.deletionTimestamp !== undefined;
  return isEnding && !isUnresponsive(pod) ? null : pod;
}

export function goneError(name: string): CaissonError {
  return new CaissonError('not_found', `the sandbox ${name} is gone`, { details: { resource: name } });
}
