/**
 * The bridge that `network: open` means: one per instance and engine, with traffic between its sandboxes off.
 *
 * Engines before 25 take several networks of one name, and then start no container on any of them, even by id. So after
 * making one it is looked which there are, and of Caisson's own the one in use stays, or else the oldest: every racer
 * comes to the same answer, and a start that fell into that moment is tried again.
 */
import { CaissonError, isCode } from '../../../src/errors.ts';
import { list, object, text } from '../engine/json.ts';
import { instanceLabel } from './labels.ts';
import type { Ask } from '../engine/facts.ts';
import { isAway } from '../engine/fault.ts';
import { remembered } from '../../../src/lib/remembered.ts';

interface NetworkEntry {
  readonly id: string;
  readonly created: string;
}

export class Network {
  readonly name: string;
  readonly #ask: Ask;
  readonly #instance: string;
  readonly #there = remembered(() => this.#make());
  #isTouched = false;

  constructor(ask: Ask, instance: string) {
    this.#ask = ask;
    this.#instance = instance;
    this.name = `caisson-${instance.replace(/[^A-Za-z0-9_.-]/g, '-').slice(0, 12)}`;
  }

  /** Looked up, and made when it is not there, once; `forget` when something about it turned out to be wrong. */
  async ensure(): Promise<string> {
    await this.#there();
    return this.name;
  }

  forget(): void {
    this.#there.forget();
  }

  /** Whether a container could start on it now: there is one, and only one. */
  async isSound(): Promise<boolean> {
    return (await this.#find()).length === 1;
  }

  /** Puts a stopped container, whose network is gone, on the one that is there now: it remembers the old one's id. */
  async move(container: string): Promise<void> {
    const name = await this.ensure();
    const what = 'put the sandbox on its network';
    await this.#ask({
      what,
      method: 'POST',
      path: `/networks/${name}/disconnect`,
      body: { Container: container, Force: true },
    });
    await this.#ask({ what, method: 'POST', path: `/networks/${name}/connect`, body: { Container: container } });
  }

  /** When no container of the instance is left, stopped ones included: those need it to start again. */
  async unused(): Promise<readonly string[]> {
    const networks = await this.#find();
    if (networks.length === 0) return [];
    const filters = JSON.stringify({ label: [this.#label] });
    const query = { all: true, limit: 1, filters };
    const request = { what: 'list the containers', method: 'GET', path: '/containers/json', query } as const;
    return list(await this.#ask(request)).length > 0 ? [] : networks.map(({ id }) => id);
  }

  /** A container has gone that may have been the last one on it. */
  touched(): void {
    this.#isTouched = true;
  }

  /** At the end of a process that has used it; one that only looks around leaves everything as it is. */
  async leave(): Promise<void> {
    // An engine that is gone by now, or a sandbox that came between, leaves the network where it is.
    if (this.#isTouched) await this.removeUnused().catch(() => undefined);
  }

  async removeUnused(): Promise<void> {
    await Promise.all((await this.unused()).map((id) => this.#remove(id).catch(unlessGone)));
  }

  get #label(): string {
    return `${instanceLabel}=${this.#instance}`;
  }

  async #make(): Promise<void> {
    const there = await this.#find();
    const [first, ...others] = there.length === 1 ? there : await this.#created(there);
    if (!first)
      throw new CaissonError('conflict', `the name ${this.name} is taken by a network that is not ours`, {
        remedy: 'remove or rename that network',
      });
    const isStuck = await Promise.all(others.map((network) => this.#isStuck(network.id)));
    // A network may be older than one that was to be seen earlier, and by now is in use.
    if (isStuck.includes(true)) await this.#isStuck(first.id);
  }

  /** Tries to remove a network. True when it is there still, because a container uses it. */
  async #isStuck(id: string): Promise<boolean> {
    try {
      await this.#remove(id);
      return false;
    } catch (error) {
      if (isAway(error)) throw error;
      return !isCode(error, 'not_found');
    }
  }

  /** Ours only, oldest first. */
  async #find(): Promise<readonly NetworkEntry[]> {
    const filters = JSON.stringify({ label: [this.#label], driver: ['bridge'] });
    const answer = list(
      await this.#ask({ what: 'list the networks', method: 'GET', path: '/networks', query: { filters } }),
    );
    const found = answer.map(object).flatMap((entry) => {
      const id = text(entry['Id']);
      const created = text(entry['Created']);
      return id && created && entry['Name'] === this.name ? [{ id, created: sortable(created) }] : [];
    });
    return found.sort((a, b) => compare(a.created, b.created) || compare(a.id, b.id));
  }

  /** Looked up again: another process may have made one at the same time. */
  async #created(there: readonly NetworkEntry[]): Promise<readonly NetworkEntry[]> {
    if (there.length === 0) await this.#create();
    return await this.#find();
  }

  async #create(): Promise<void> {
    const body = {
      Name: this.name,
      CheckDuplicate: true,
      Driver: 'bridge',
      EnableIPv6: false,
      Internal: false,
      Attachable: false,
      Labels: { [instanceLabel]: this.#instance },
      Options: { 'com.docker.network.bridge.enable_icc': 'false' },
    };
    this.#isTouched = true;
    await this.#ask({ what: 'make the network', method: 'POST', path: '/networks/create', body }).catch(
      (error: unknown) => {
        // Another process was faster.
        if (!isCode(error, 'failed_precondition')) throw error;
      },
    );
  }

  #remove(id: string): Promise<unknown> {
    return this.#ask({ what: 'remove the network', method: 'DELETE', path: `/networks/${id}` });
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Engines print nanoseconds without trailing zeros; as plain text `.5Z` would come after `.45Z`. */
function sortable(created: string): string {
  const [seconds, rest = ''] = created.split('.');
  return `${seconds?.replace(/Z$/, '') ?? ''}.${(/^\d*/.exec(rest)?.[0] ?? '').padEnd(9, '0')}`;
}

function unlessGone(error: unknown): void {
  if (!isCode(error, 'not_found')) throw error;
}
