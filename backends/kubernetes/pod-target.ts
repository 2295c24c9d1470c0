/** The running pod of a sandbox: whether commands can be started in it, and how those that ended did. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessEnd, Sandbox } from '../../src/backend.ts';
import { CaissonError, isCode } from '../../src/errors.ts';
import type { Here } from './here.ts';
import type { Named, Namespace } from './namespace.ts';
import type { Pod } from './objects.ts';
import { remembered } from '../../src/lib/remembered.ts';
import { runScript } from './script.ts';
import type { Target } from './start.ts';
import type { Vigil } from './vigil.ts';
import { silentError } from './silence.ts';
import { endedForMemory, endOf, isUnresponsive, progressOf, restartsOf } from './state.ts';

const killed = 137;
/** After so long the node is asked again. */
const silentForMs = 5000;
/** The node says what became of a pod once a second, and after the connection to it has closed. */
const lookPausesMs = [0, 300, 700, 1000, 1500];

/** The sandbox of the pod. */
interface Owner {
  /** Whether its files outlive the pod. */
  readonly keeps: boolean;
  /** Why the pod is not there: its sandbox is stopped, or gone. */
  readonly absent: () => Promise<CaissonError>;
}

type Owned = Owner & {
  readonly pod: Named;
  /** Whether no command has run in it yet. */
  readonly isNew: boolean;
};

export class PodTarget implements Target {
  readonly api: Target['api'];
  readonly path: string;
  readonly uid: string;
  readonly #namespace: Namespace;
  readonly #vigil: Vigil;
  readonly #pod: Named;
  readonly #owner: Owner;
  #silentAtMs = -Infinity;
  #restarts: number;
  #kills: number | null;
  #killsAtFirst: number | null;

  constructor({ namespace, vigil }: Here, pod: Pod, { pod: named, isNew, ...owner }: Owned) {
    this.api = namespace.api;
    this.path = namespace.path('pods', named.name);
    this.uid = named.uid;
    this.#namespace = namespace;
    this.#vigil = vigil;
    this.#pod = named;
    this.#owner = owner;
    this.#restarts = restartsOf(pod);
    this.#kills = isNew ? 0 : null;
    this.#killsAtFirst = this.#kills;
  }

  /** Read once before the first command, or beside it: what is more later, was killed meanwhile. */
  begin = remembered(async (): Promise<void> => {
    this.#kills ??= await this.#killsNow();
    this.#killsAtFirst ??= this.#kills;
  });

  /** Asked when a command of a lane has ended as if it was killed. */
  readonly memory: NonNullable<Sandbox['memory']> = {
    kills: () => (this.#kills ?? 0) - (this.#killsAtFirst ?? 0),
    look: async () => void (await this.#isForMemory()),
  };

  explain = async (): Promise<void> => {
    const pod = await this.#current();
    if (pod === null) throw await this.#owner.absent();
    if (isUnresponsive(pod)) throw this.silent();
    const end = endOf(pod);
    if (end !== null)
      throw new CaissonError(end.code, `the pod ${this.#pod.name} runs no command: ${end.why}`, {
        details: { resource: this.#pod.name },
        remedy: this.#owner.keeps ? 'stop it and start it again' : 'remove it to begin anew',
      });
  };

  /** Commands are refused at once for a while: each would wait for a connection. */
  silent = (): CaissonError => {
    this.#silentAtMs = performance.now();
    return silentError(this.#pod.name);
  };

  /** Costs nothing while the node answers. */
  throwIfSilent(): void {
    if (performance.now() - this.#silentAtMs < silentForMs) throw silentError(this.#pod.name);
  }

  explained = async (end: Promise<number>, close: () => void): Promise<ProcessEnd> => {
    const release = this.#vigil.guard({ ...this.#pod, onEnded: close });
    try {
      const exitCode = await end;
      return { exitCode, signal: null, outOfMemory: exitCode === killed && (await this.#isForMemory()) };
    } catch (error) {
      throw isCode(error, 'unavailable') ? await this.#why(error) : error;
    } finally {
      release();
    }
  };

  /** That of the first process, which takes its container with it. */
  explainedFirst = async (end: Promise<number>): Promise<ProcessEnd> => {
    try {
      return { exitCode: await end, signal: null, outOfMemory: false };
    } catch (error) {
      throw isCode(error, 'unavailable') ? await this.#why(error) : error;
    }
  };

  /** What became of the pod says more than a socket that closed. */
  async #why(error: CaissonError): Promise<CaissonError> {
    const said = await this.#saidOfPod();
    if (said === null) return error;
    return new CaissonError('unavailable', `the end of the command is not known: ${said}`, {
      cause: error,
      details: { resource: this.#pod.name },
      remedy: 'see the state of the sandbox: `caisson ls`',
    });
  }

  /** `null`: nothing that would explain it. */
  async #saidOfPod(): Promise<string | null> {
    for (const ms of lookPausesMs) {
      await sleep(ms);
      const pod = await this.#current().catch(() => undefined);
      if (pod === undefined) return null;
      const said = pod === null ? 'the pod is gone' : this.#happened(pod);
      if (said !== null) return said;
    }
    return null;
  }

  #happened(pod: Pod): string | null {
    const restarts = restartsOf(pod);
    const progress = progressOf(pod);
    if (progress.is === 'ended') return progress.why;
    if (restarts <= this.#restarts) return null;
    this.#restarts = restarts;
    const why = endedForMemory(pod) ? ' for memory (OOMKilled)' : '';
    return `the container ended${why} and was started again; its processes are lost`;
  }

  /** `null`: gone, or another one by the name. */
  async #current(): Promise<Pod | null> {
    const pod = await this.#namespace.pod(this.#pod.name);
    return pod?.metadata?.uid === this.#pod.uid ? pod : null;
  }

  async #isForMemory(): Promise<boolean> {
    const before = this.#kills;
    const now = await this.#killsNow().catch(() => null);
    if (now === null) return false;
    this.#kills = now;
    this.#killsAtFirst ??= now;
    // A container that was started again counts from 0.
    return before !== null && now > (now < before ? 0 : before);
  }

  /** `null`: the kernel does not tell. */
  async #killsNow(): Promise<number | null> {
    const { stdout } = await runScript(this, 'memory', []);
    return /^\d{1,15}\n$/.test(stdout) ? Number(stdout) : null;
  }
}
