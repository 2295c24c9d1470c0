/**
 * A session that stands ready on a connection, its shell waiting for what it becomes: to open one takes two round
 * trips, a fork of sshd and a login shell, and a command that finds one has none of these before it.
 *
 * It carries no mark and runs nothing. Its first line is what sshd would else have handed to the login shell.
 */
import type { ClientChannel } from 'ssh2';
import { endChannel } from './wire.ts';

/** The line is short and plain, so that any login shell takes it. The shell ends at the end of its input. */
const waiting = `exec /bin/sh -c 'IFS= read -r _cz_l && eval "$_cz_l"'`;

const soonMs = 5;

export class PreparedSession {
  readonly #open: (line: string) => Promise<ClientChannel>;
  #opening: Promise<ClientChannel | null> | null = null;
  #soon: NodeJS.Timeout | null = null;
  #since = 0;

  constructor(open: (line: string) => Promise<ClientChannel>) {
    this.#open = open;
  }

  /** Not in the way of the command that has just been started. */
  prepareSoon(): void {
    this.#soon ??= setTimeout(() => this.#prepare(), soonMs).unref();
  }

  /** At most one. A failure to open it is reported by the next session that is asked for. */
  #prepare(): void {
    this.#soon = null;
    if (this.#opening !== null) return;
    this.#since = performance.now();
    const opening = this.#open(waiting).catch(() => null);
    this.#opening = opening;
    const forget = (): void => {
      if (this.#opening === opening) this.#opening = null;
    };
    void opening.then((channel) => {
      if (channel === null) forget();
      else for (const event of ['exit', 'close', 'error']) channel.once(event, forget);
    });
  }

  /** `null`: no session stands ready. */
  async take(): Promise<ClientChannel | null> {
    const opening = this.#opening;
    this.#opening = null;
    return await opening;
  }

  /** Resolves when the host has it no more. */
  async close(): Promise<void> {
    if (this.#soon !== null) clearTimeout(this.#soon);
    this.#soon = null;
    const channel = await this.take();
    if (channel === null) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    channel.once('close', resolve);
    endChannel(channel);
    await promise;
  }

  async closeUnused(sinceMs: number): Promise<void> {
    if (performance.now() - this.#since >= sinceMs) await this.close();
  }
}
