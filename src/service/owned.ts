/**
 * What a client of the service sees of the API: every verb acts on behalf of its owner and token, and shows what belongs to
 * that owner. This is the one place where that view is made.
 */
import type {
  ApprovalsApi,
  CaissonApi,
  Caller,
  ExecsApi,
  FilesApi,
  ProcessesApi,
  SandboxesApi,
  SessionsApi,
  TokenView,
} from './api.ts';
import { operator } from '../values/caller.ts';
import { onlyOf } from './owned/view.ts';

/** Which argument of a verb its options are; `null`: it takes none. */
type Places<Noun> = Readonly<Record<keyof Noun, number | null>>;

const sandboxes: Places<SandboxesApi> = {
  ...{ create: 1, list: 1, get: 1, start: 1, stop: 1, remove: 2, stats: 1, gc: 1 },
};
const execs: Places<ExecsApi> = { start: 1, run: 1, list: 1, get: 1, cancel: 1, logs: 2 };
const processes: Places<ProcessesApi> = { start: 1, list: 1, get: 1, input: 2, wait: 1, kill: 2 };
const sessions: Places<SessionsApi> = { open: 1, exec: 1, run: 1, close: 1, list: 1 };
const files: Places<FilesApi> = {
  ...{ copyIn: 1, copyOut: 1, read: 1, stream: 1, write: 1, patch: 1, list: 1, stat: 1, move: 1, remove: 1 },
  ...{ search: 1, sync: 1, archive: 1, unpack: 1, watch: 1 },
};
const approvals: Places<ApprovalsApi> = { list: 0, get: 1, answer: 3, grants: null, revoke: null, skip: null };

/** Who may administer the installation sees all of it; any other client, what is its owner's. */
export function apiOf(api: CaissonApi, { id, owner, scopes }: Pick<TokenView, 'id' | 'owner' | 'scopes'>): CaissonApi {
  const acting = actingAs(api, { owner, token: id });
  return owner === operator && scopes.includes('admin') ? acting : onlyOf(acting, owner);
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
  };
  const { policy, network, audit, images, secrets, access, tokens, backends, mcpServers, config } = api;
  return {
    run: (request, options) => mine.execs.run(request, options),
    exec: (request, options) => mine.execs.start(request, options),
    ...mine,
    ...{ policy, network, audit, images, secrets, access, tokens, backends, mcpServers, config },
    close: (options) => api.close(options),
  };
}

function actingFor<Noun extends object>(noun: Noun, places: Places<Noun>, caller: Caller): Noun {
  const known = new Map<PropertyKey, number | null>(Object.entries<number | null>(places));
  return new Proxy(noun, {
    get(target, verb): unknown {
      const act: unknown = Reflect.get(target, verb, target);
      const place = known.get(verb) ?? null;
      if (typeof act !== 'function' || place === null) return act;
      return (...args: readonly unknown[]): unknown => {
        const before = Array.from({ length: place }, (_, index) => args[index]);
        return Reflect.apply(act, target, [...before, { ...Object(args[place]), caller }]);
      };
    },
  });
}
