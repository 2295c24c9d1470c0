/** Allow lists for places that filter by themselves, by the rules of the configuration and of each sandbox. */
import type { Audit } from '../audit/types.ts';
import type { PlaceFilter } from '../backend.ts';
import { egressReading } from '../config/network.ts';
import { sourceNow } from '../config/source.ts';
import type { Loaded } from '../config/types.ts';
import { placeHosts } from './door/place-hosts.ts';
import { rulesetOf } from './door/ruleset.ts';
import type { WebsitePolicy } from '../network/website-policy.ts';
import type { Checked, Filters, PlaceList } from './place-list.ts';
import {
  changedRules,
  type EgressReading,
  type EgressRow,
  noOwnRules,
  settledReading,
  sourceWith,
} from '../store/egress.ts';
import type { Store } from '../store/store.ts';
import { changeEntry } from './audit.ts';
import type { ConfiguredDoors } from './doors.ts';

export interface FilterDependencies extends Pick<ConfiguredDoors, 'edits'> {
  readonly websites: Pick<WebsitePolicy, 'current'>;
  readonly loaded: Loaded;
  readonly store: Pick<Store, 'egress'>;
  readonly audit: Pick<Audit, 'recordSoon'>;
}

export class PlaceFilters implements Filters {
  readonly #parts: FilterDependencies;

  constructor(parts: FilterDependencies) {
    this.#parts = parts;
  }

  async list(...[sandbox, filter]: Parameters<Filters['list']>): Promise<PlaceList> {
    const { loaded, store, audit } = this.#parts;
    const read = this.#reading(sandbox.taskId);
    const isCurrent = (): boolean => sourceNow(loaded.home) === read.source;
    const { row, before } = await store.egress.configure(sandbox.id, read, isCurrent);
    const change = changeEntry(sandbox, before, row);
    if (change !== null) audit.recordSoon(change);
    const { hosts, websites } = await this.#said(row, sandbox.backend, filter);
    return { hosts, websites, source: sourceWith(read), revision: row.revision };
  }

  async isCurrent(...[{ id, taskId }, given]: Parameters<Filters['isCurrent']>): Promise<boolean> {
    const { loaded, store, websites } = this.#parts;
    const read = this.#reading(taskId);
    const source = sourceWith(read);
    const row = given.source === source ? await store.egress.of(id) : null;
    if (row?.revision !== given.revision || (await websites.current()).version !== given.websites) return false;
    return row.source === source || sourceNow(loaded.home) !== read.source;
  }

  async check(...[sandbox, filter, change]: Parameters<Filters['check']>): Promise<void> {
    const own = await this.#own(sandbox);
    const { lists: configured } = settledReading(null, this.#reading(sandbox.taskId), true);
    const rules = { configured, own: change ? changedRules(own, change) : own };
    await this.#said(rules, sandbox.backend, filter);
  }

  async #own({ id }: Checked): Promise<EgressRow['own']> {
    return (id === null ? null : await this.#parts.store.egress.of(id))?.own ?? noOwnRules;
  }

  /** No question is put about a connection that the place denies, so that nothing is allowed for one command alone. */
  async #said({ configured, own }: Pick<EgressRow, 'configured' | 'own'>, backend: string, filter: PlaceFilter) {
    const websites = await this.#parts.websites.current();
    const [allow, deny] = [
      [...configured.allow, ...own.allow],
      [...configured.deny, ...own.deny],
    ];
    const egress = rulesetOf({ ...configured, allow, deny });
    return { hosts: placeHosts({ backend, egress, websites, filter }), websites: websites.version };
  }

  #reading(taskId: string): EgressReading {
    const { loaded, edits } = this.#parts;
    return egressReading(taskId, loaded, edits());
  }
}
