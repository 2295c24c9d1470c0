/**
 * Results of texts of sessions, for a client that lost its connection and sends its request again: core runs no second text under
 * one id, and its record does not say what became of the session.
 */
import type { SessionResult } from '../../service/api.ts';

const keptMs = 60_000;
/** Most results that are kept of texts that have ended. */
const maxKept = 100;

interface Run {
  /** The request that was sent: only an equal one gets the result. */
  readonly request: string;
  readonly result: Promise<SessionResult>;
}

export class KeptResults {
  readonly #runs = new Map<string, Run>();
  readonly #ended: string[] = [];

  async run(key: string, request: string, begin: () => Promise<SessionResult>): Promise<SessionResult> {
    const known = this.#runs.get(key);
    if (known?.request === request) return await known.result;
    const result = begin();
    if (known === undefined) {
      this.#runs.set(key, { request, result });
      // What was refused may be asked for again.
      void result.then(
        () => this.#keep(key),
        () => this.#runs.delete(key),
      );
    }
    return await result;
  }

  #keep(key: string): void {
    this.#ended.push(key);
    if (this.#ended.length > maxKept) this.#runs.delete(this.#ended.shift() ?? '');
    setTimeout(() => this.#runs.delete(key), keptMs).unref();
  }
}
