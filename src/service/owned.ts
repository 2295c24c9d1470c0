/**
 * What a client of the service sees of the API: every verb acts on behalf of its owner and token, and shows what belongs to
 * that owner. This is the one place where that view is made.
 */
import type {
  ApprovalsApi,
  CaissonApi,
  Caller,
  ConfigView,
  ExecsApi,
  FilesApi,
  NetworkApi,
  ProcessesApi,
  SandboxesApi,
  SessionsApi,
  TokenView,
} from './api.ts';
import { actingAs as authoredBy, type Author } from '../lib/author.ts';
import { operator } from '../values/caller.ts';
import { onlyOf } from './owned/view.ts';
import type { AnyRow, AnyRows } from './verbs/row.ts';
import { approvals } from './verbs/approvals.ts';
import { files } from './verbs/files.ts';
import { network } from './verbs/network.ts';
import { sandboxes } from './verbs/sandboxes.ts';

/** Which argument of a verb its options are; `null`: it takes none. */
type Places<Noun> = Readonly<Record<keyof Noun, number | null>>;

const placesIn = (rows: AnyRows): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries<AnyRow>(rows).map(([verb, { takes }]) => [verb, takes.length]));
const execs: Places<ExecsApi> = { start: 1, run: 1, list: 1, get: 1, cancel: 1, logs: 2 };
const processes: Places<ProcessesApi> = { start: 1, list: 1, get: 1, input: 2, wait: 1, kill: 2 };
const sessions: Places<SessionsApi> = { open: 1, exec: 1, run: 1, close: 1, list: 1 };

const config: Places<Pick<ConfigView, 'set' | 'reload'>> = { set: null, reload: null };

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
    sandboxes: actingFor<SandboxesApi, SandboxesApi>(api.sandboxes, placesIn(sandboxes), caller),
    execs: actingFor(api.execs, execs, caller),
    processes: actingFor(api.processes, processes, caller),
    sessions: actingFor(api.sessions, sessions, caller),
    files: actingFor<FilesApi, FilesApi>(api.files, placesIn(files), caller),
    approvals: actingFor<ApprovalsApi, ApprovalsApi>(api.approvals, placesIn(approvals), caller),
    network: actingFor<NetworkApi, NetworkApi>(api.network, placesIn(network), caller),
    config: actingFor(api.config, config, caller),
  };
  const { policy, audit, events, images, secrets, access, tokens, backends, mcpServers, installation } = api;
  return {
    run: (request, options) => mine.execs.run(request, options),
    exec: (request, options) => mine.execs.start(request, options),
    ...mine,
    ...{ policy, audit, events, images, secrets, access, tokens, backends, mcpServers, installation },
    close: (options) => api.close(options),
  };
}

function withCaller(args: readonly unknown[], place: number, caller: Caller): readonly unknown[] {
  const before = Array.from({ length: place }, (_, index) => args[index]);
  return [...before, { ...Object(args[place]), caller }];
}

function actingFor<Verbs extends object, Noun extends Verbs>(noun: Noun, places: Places<Verbs>, caller: Caller): Noun {
  const author: Author = { owner: caller.owner, by: caller.token, reason: null };
  const known = new Map<PropertyKey, number | null>(Object.entries<number | null>(places));
  return new Proxy(noun, {
    get(target, verb): unknown {
      const act: unknown = Reflect.get(target, verb, target);
      const place = known.get(verb) ?? null;
      if (typeof act !== 'function') return act;
      return (...args: readonly unknown[]): unknown => {
        const given = place === null ? args : withCaller(args, place, caller);
        return authoredBy(author, () => Reflect.apply(act, target, given) as unknown);
      };
    },
  });
}
