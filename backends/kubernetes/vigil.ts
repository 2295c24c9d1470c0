/**
 * Ends the wait for commands whose pod has ended, where the connection to it stays open all the same: a node that is gone closes
 * nothing. The pods are watched only while a command has been running for some time.
 */
import type { Namespace } from './namespace.ts';
import type { Pod } from './objects.ts';
import { endOf } from './state.ts';
import { PodWatch } from './watch.ts';

/** Shorter commands never cause a watch. */
const patienceMs = 5000;
/** What is still on its way from a pod that has ended arrives within this time. */
const settleMs = 3000;

interface Guarded {
  readonly uid: string;
  readonly name: string;
  readonly onEnded: () => void;
}

export interface Times {
  readonly patienceMs: number;
  readonly settleMs: number;
}

export class Vigil {
  readonly #namespace: Namespace;
  readonly #selector: string;
  readonly #times: Times;
  readonly #guarded = new Set<Guarded>();
  #watch: PodWatch | null = null;

  constructor(namespace: Namespace, selector: string, times: Times = { patienceMs, settleMs }) {
    this.#namespace = namespace;
    this.#selector = selector;
    this.#times = times;
  }

  /** `onEnded` is called at most once, when the pod has ended. Returns what ends the guard. */
  guard(guarded: Guarded): () => void {
    const timer = setTimeout(() => this.#begin(guarded), this.#times.patienceMs).unref();
    return () => {
      clearTimeout(timer);
      this.#guarded.delete(guarded);
      if (this.#guarded.size === 0) this.close();
    };
  }

  close(): void {
    this.#watch?.close();
    this.#watch = null;
  }

  #begin(guarded: Guarded): void {
    this.#guarded.add(guarded);
    this.#watch ??= new PodWatch(this.#namespace, this.#selector, {
      onPod: (pod, isGone) => this.#see(pod, isGone),
      onList: (pods) => void this.#compare(pods),
    });
  }

  #see(pod: Pod, isGone: boolean): void {
    const isOver = isGone || (endOf(pod) !== null && pod.metadata?.deletionTimestamp === undefined);
    if (isOver) this.#ended(pod.metadata?.uid ?? '');
  }

  /** A pod that one list lacks is asked for by its name, before it is taken for deleted. */
  async #compare(pods: readonly Pod[]): Promise<void> {
    for (const pod of pods) this.#see(pod, false);
    const there = new Set(pods.map(({ metadata }) => metadata?.uid));
    for (const { uid, name } of [...this.#guarded].filter((each) => !there.has(each.uid))) {
      const pod = await this.#namespace.pod(name).catch(() => undefined);
      if (pod !== undefined && pod?.metadata?.uid !== uid) this.#ended(uid);
    }
  }

  #ended(uid: string): void {
    for (const guarded of [...this.#guarded].filter((each) => each.uid === uid)) {
      this.#guarded.delete(guarded);
      setTimeout(guarded.onEnded, this.#times.settleMs).unref();
    }
  }
}
