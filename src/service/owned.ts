/**
 * What a client of the service sees of the API: every verb acts on behalf of its owner and token, and shows what belongs to
 * that owner. This is the one place where that view is made.
 */
import type { CaissonApi, Caller, TokenView } from './api.ts';
import { actingAs as authoredBy, type Author } from '../lib/author.ts';
import { operator } from '../values/caller.ts';
import { onlyOf } from './owned/view.ts';
import type { AnyRow, AnyRows } from './verbs/row.ts';
import { approvals } from './verbs/approvals.ts';
import { execs } from './verbs/execs.ts';
import { files } from './verbs/files.ts';
import { network } from './verbs/network.ts';
import { processes } from './verbs/processes.ts';
import { sandboxes } from './verbs/sandboxes.ts';
import { sessions } from './verbs/sessions.ts';

/** Who may administer the installation sees all of it; any other client, what is its owner's and within the bounds of its token. */
export function apiOf(
  api: CaissonApi,
  token: Pick<TokenView, 'id' | 'owner' | 'scopes' | 'bounds' | 'limits'> & Pick<Caller, 'holdsHome'>,
): CaissonApi {
  const { id, owner, scopes, bounds, limits, holdsHome } = token;
  const { execs } = limits;
  const holds = holdsHome === true ? { holdsHome } : {};
  const most = execs === null ? {} : { execs };
  const acting = actingAs(api, { owner, token: id, ...holds, ...most, ...(bounds === null ? {} : { bounds }) });
  const seesAll = owner === operator && scopes.includes('admin') && bounds === null;
  return seesAll ? acting : onlyOf(acting, { owner, bounds });
}

/** Nouns that answer the same to every caller are passed on as they are. */
function actingAs(api: CaissonApi, caller: Caller): CaissonApi {
  const mine = {
    sandboxes: actingFor(api.sandboxes, sandboxes, caller),
    execs: actingFor(api.execs, execs, caller),
    processes: actingFor(api.processes, processes, caller),
    sessions: actingFor(api.sessions, sessions, caller),
    files: actingFor(api.files, files, caller),
    approvals: actingFor(api.approvals, approvals, caller),
    network: actingFor(api.network, network, caller),
    config: actingFor(api.config, {}, caller),
  };
  const { policy, audit, history, events, images, secrets, access, tokens, backends, mcpServers, installation, pool } =
    api;
  return {
    run: (request, options) => mine.execs.run(request, options),
    exec: (request, options) => mine.execs.start(request, options),
    ...mine,
    policy,
    audit,
    history,
    events,
    images,
    secrets,
    access,
    tokens,
    backends,
    mcpServers,
    installation,
    pool,
    close: (options) => api.close(options),
  };
}

function withCaller(args: readonly unknown[], place: number, caller: Caller): readonly unknown[] {
  const before = Array.from({ length: place }, (_, index) => args[index]);
  return [...before, { ...Object(args[place]), caller }];
}

/** The options of a verb stand after what its row says that it takes; without a row it takes none. */
function actingFor<Noun extends object>(noun: Noun, rows: AnyRows, caller: Caller): Noun {
  const author: Author = { owner: caller.owner, by: caller.token, reason: null };
  const known = new Map<PropertyKey, AnyRow>(Object.entries(rows));
  return new Proxy(noun, {
    get(target, verb): unknown {
      const act: unknown = Reflect.get(target, verb, target);
      if (typeof act !== 'function') return act;
      const row = known.get(verb);
      return (...args: readonly unknown[]): unknown => {
        const given = row === undefined ? args : withCaller(args, row.takes.length, caller);
        return authoredBy(author, () => Reflect.apply(act, target, given) as unknown);
      };
    },
  });
}
