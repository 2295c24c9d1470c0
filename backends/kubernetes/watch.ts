/** Follows the pods of an instance: a list, and what changes from there on; a new list where the cluster has forgotten what changed. */
import type { IncomingMessage } from 'node:http';
import { isRefusal } from './fault.ts';
import type { Namespace } from './namespace.ts';
import type { Pod } from './objects.ts';
import { pause } from './pause.ts';
import { eventOf, linesOf } from './watch-events.ts';

const firstPauseMs = 200;
const longestPauseMs = 10_000;
/** The server ends a watch after so long, and it is taken up from where it was. */
const watchSeconds = 240;
const silentMs = (watchSeconds + 30) * 1000;

export interface Followed {
  /** A pod, as it is now; `isGone`: it has been deleted. */
  readonly onPod: (pod: Pod, isGone: boolean) => void;
  /** All that a list has, after which every change is reported. What is missing may have been deleted. */
  readonly onList: (pods: readonly Pod[]) => void;
}

export class PodWatch {
  readonly #namespace: Namespace;
  readonly #selector: string;
  readonly #followed: Followed;
  readonly #closed = new AbortController();
  #answer: IncomingMessage | null = null;

  constructor(namespace: Namespace, selector: string, followed: Followed) {
    this.#namespace = namespace;
    this.#selector = selector;
    this.#followed = followed;
    void this.#run();
  }

  close(): void {
    this.#closed.abort();
    this.#answer?.destroy();
  }

  async #run(): Promise<void> {
    for (let waitMs = firstPauseMs; !this.#isClosed(); waitMs = Math.min(longestPauseMs, waitMs * 2)) {
      try {
        const { items, version } = await this.#namespace.listAt('pods', this.#selector, {
          signal: this.#closed.signal,
        });
        this.#followed.onList(items);
        await this.#follow(version);
        waitMs = firstPauseMs;
      } catch {
        // Asked again: a list shows what was missed.
      }
      await pause(waitMs * (0.75 + Math.random() / 2), this.#closed.signal).catch(() => undefined);
    }
  }

  /** Resolves when all is to be listed again. */
  async #follow(from: string): Promise<void> {
    let version: string | null = from;
    while (version !== null && !this.#isClosed()) version = await this.#once(version);
  }

  /** The version to go on from when the answer has ended; `null`: it is not known. */
  async #once(from: string): Promise<string | null> {
    const answer = await this.#open(from);
    if (answer === null) return null;
    this.#answer = answer;
    if (this.#isClosed()) answer.destroy();
    answer.setTimeout(silentMs, () => answer.destroy(new Error('the watch is silent')));
    // A watch keeps no process alive.
    answer.socket.unref();
    let version = from;
    for await (const line of linesOf(answer)) {
      const event = eventOf(line);
      if (event === null) continue;
      if (event.is === 'expired') return null;
      if (event.is === 'failed') throw new Error(`the watch failed with ${event.code}`);
      version = event.version;
      if (event.is !== 'bookmark') this.#followed.onPod(event.pod, event.is === 'gone');
    }
    return version;
  }

  async #open(version: string): Promise<IncomingMessage | null> {
    const query = {
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: version,
      timeoutSeconds: String(watchSeconds),
      labelSelector: this.#selector,
    };
    try {
      const asking = { path: this.#namespace.path('pods'), query, doing: 'watch the pods' };
      return await this.#namespace.api.open({ method: 'GET', ...asking });
    } catch (error) {
      if (isRefusal(error, 410)) return null;
      throw error;
    }
  }

  #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }
}
