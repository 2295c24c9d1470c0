/**
 * What the egress proxy has read of the configuration file since it began. An edit that blocks more holds with the next connection; one
 * that blocks less waits, for each sandbox, until a process uses it by a configuration that was read from the edited text.
 */
import { homedir } from 'node:os';
import { Freshness } from '../config/freshness.ts';
import type { Loaded } from '../config/types.ts';
import { addressRules } from '../network/address/rules.ts';
import type { AddressRules } from '../network/address/types.ts';
import { WebsitePolicy } from '../network/website-policy.ts';
import { isReadFrom } from '../store/egress.ts';

export class Readings {
  readonly #read: () => Promise<Loaded>;
  readonly #freshness: Freshness;
  #readings: readonly Loaded[];
  #reading: Promise<void> | null = null;
  /** Policies by the index of the first of the readings that hold together. */
  readonly #policies = new Map<number, WebsitePolicy>();

  constructor(first: Loaded, read: () => Promise<Loaded>) {
    this.#read = read;
    this.#freshness = new Freshness(first.home, first.source);
    this.#readings = [first];
  }

  /** Throws for a file of now that cannot be read or is wrong: then nothing is allowed. */
  async since(source: string): Promise<AddressRules> {
    await this.#reading;
    if (this.#freshness.isStale()) await (this.#reading ??= this.#take().finally(() => (this.#reading = null)));
    const from = this.#placeOf(source);
    const [{ config, env }, ...later] = held(this.#readings.slice(from));
    const { allow_private: opened, nat64_prefix: nat64Prefix } = config.network;
    const allowPrivate = opened.filter((each) =>
      later.every((next) => next.config.network.allow_private.includes(each)),
    );
    return addressRules({ allowPrivate, nat64Prefix, env, websites: await this.#policy(from).current() });
  }

  async #take(): Promise<void> {
    const look = this.#freshness.look();
    this.#readings = [...this.#readings, await this.#read()];
    this.#policies.clear();
    this.#freshness.took(look);
  }

  /** Edits that hold beside a text came after it was read; without any, a text that came back is that of now. */
  #placeOf(source: string): number {
    const last = this.#readings.findLastIndex((each) => each.source === source);
    const first = this.#readings.findIndex((each) => isReadFrom(source, each.source));
    return Math.max(last === -1 ? first : last, 0);
  }

  #policy(from: number): WebsitePolicy {
    const known = this.#policies.get(from);
    if (known !== undefined) return known;
    const [{ home, env, config }, ...later] = held(this.#readings.slice(from));
    const blocklist = config.security.website_blocklist;
    const policy = new WebsitePolicy({ blocklist, home, userHome: env['HOME'] ?? homedir() });
    policy.take([blocklist, ...later.map((each) => each.config.security.website_blocklist)]);
    this.#policies.set(from, policy);
    return policy;
  }
}

/** There is always one. */
function held(readings: readonly Loaded[]): readonly [Loaded, ...(readonly Loaded[])] {
  const [first, ...later] = readings;
  if (first === undefined) throw new Error('nothing was read');
  return [first, ...later];
}
