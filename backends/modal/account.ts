/** The account at the service: one client, one app, a bound on what is asked for at once. */
import PQueue from 'p-queue';
import type { OpenOptions } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { codeOf, modalError } from './fault.ts';
import { fromTags, type Record, type Tags } from './record.ts';
import { patiently } from './retry.ts';
import { type App, type Client, connect, type Env, type Handle, loadSdk } from './sdk.ts';
import { type Settings, readSettings } from './settings.ts';
import { remembered } from '../../src/lib/remembered.ts';

const maxAtOnce = 10;
/** Pages of a list that does not end are the service's mistake. */
const maxPages = 1000;

export interface Entry {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly tags: Tags;
}

export type EndStatus = 'running' | 'terminated' | 'ended' | 'absent';

export class ModalAccount {
  readonly settings: Settings;
  readonly #env: Env;
  readonly #queue = new PQueue({ concurrency: maxAtOnce });
  readonly #handles = new Map<string, Handle>();
  readonly #connected = remembered((): Promise<Client> => this.#connect());
  /** Throws `unavailable` and `unauthenticated` among others: it is the first call of a client. */
  readonly app = remembered((): Promise<App> =>
    this.call('find the app', (client) => client.apps.fromName(this.settings.app, { createIfMissing: true })),
  );

  constructor({ env, settings }: OpenOptions) {
    this.settings = readSettings(settings ?? {});
    this.#env = env;
  }

  /** Host of the service's address. */
  async host(): Promise<string> {
    return new URL((await this.#connected()).profile.serverUrl).host;
  }

  /** Once. */
  async once<T>(doing: string, work: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.#connected();
    try {
      return await this.#queue.add(() => work(client));
    } catch (error) {
      throw modalError(error, doing);
    }
  }

  /** Tries again what may be done twice. */
  async call<T>(doing: string, work: (client: Client) => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await patiently(() => this.once(doing, work), signal);
    } catch (error) {
      if (codeOf(error) !== 'unauthenticated' || this.#connected.current() === null) throw error;
      // The token of this client may have been revoked; credentials that are wrong fail again.
      this.renew();
      return await this.once(doing, work);
    }
  }

  /** One for all commands of a sandbox: it keeps a connection and a token. */
  async handle(id: string): Promise<Handle> {
    const known = this.#handles.get(id);
    if (known !== undefined) return known;
    const made = await this.once('find the sandbox', (client) => client.sandboxes.fromId(id));
    return this.keep(made);
  }

  keep(handle: Handle): Handle {
    this.#handles.set(handle.sandboxId, handle);
    return handle;
  }

  forget(id: string): void {
    this.#handles.get(id)?.detach();
    this.#handles.delete(id);
  }

  async status(id: string): Promise<EndStatus> {
    try {
      const { result } = await this.call('look at the sandbox', (client) =>
        client.cpClient.sandboxWaitV2({ sandboxId: id, timeout: 0 }),
      );
      const status: number = result?.status ?? 0;
      if (status === 0) return 'running';
      return status === terminated ? 'terminated' : 'ended';
    } catch (error) {
      if (codeOf(error) === 'not_found') return 'absent';
      throw error;
    }
  }

  /** What runs, with these tags, on all pages. `appId`: empty for all apps. */
  async running(appId: string, tags: Tags): Promise<readonly Entry[]> {
    const found: Entry[] = [];
    for (let page = 0, before = 0; page < maxPages; page += 1) {
      const entries = await this.#page(appId, tags, before);
      found.push(...entries);
      const last = entries.at(-1);
      if (last === undefined) return found;
      before = last.createdAt;
    }
    throw new CaissonError('internal', 'the list of sandboxes at Modal does not end');
  }

  /** The sandbox that runs under this name, as its tags describe it; `null` for a stranger's. */
  async named(name: string): Promise<{ readonly id: string; readonly record: Record | null } | null> {
    try {
      return await this.call('find the sandbox by its name', async (client) => {
        const handle = await client.sandboxes.fromName(this.settings.app, name);
        const record = fromTags(handle.sandboxId, name, await handle.getTags());
        return { id: handle.sandboxId, record };
      });
    } catch (error) {
      if (codeOf(error) === 'not_found') return null;
      throw error;
    }
  }

  async close(): Promise<void> {
    for (const id of [...this.#handles.keys()]) this.forget(id);
    const client = await this.#connected.current()?.catch(() => null);
    this.#connected.forget();
    this.app.forget();
    client?.close();
  }

  /** For another token. A call that holds the old client goes on with it. */
  renew(): void {
    this.#connected.forget();
    this.#handles.clear();
  }

  async #page(appId: string, tags: Tags, beforeTimestamp: number): Promise<readonly Entry[]> {
    const wanted = Object.entries(tags).map(([tagName, tagValue]) => ({ tagName, tagValue }));
    const { sandboxes } = await this.call('list the sandboxes', (client) =>
      client.cpClient.sandboxListV2({
        appId,
        beforeTimestamp,
        includeFinished: false,
        tags: wanted,
        environmentName: client.environmentName(),
      }),
    );
    return sandboxes.map((entry) => ({
      id: entry.id,
      name: entry.name,
      createdAt: entry.createdAt,
      tags: Object.fromEntries(entry.tags.map(({ tagName, tagValue }) => [tagName, tagValue])),
    }));
  }

  async #connect(): Promise<Client> {
    try {
      return connect(await loadSdk(this.#env), this.#env);
    } catch (error) {
      throw modalError(error, 'make a client of Modal');
    }
  }
}

/** GenericStatus of the service. */
const terminated = 3;
