/**
 * The API as one owner sees it, or a token that is bound to a part of what is the owner's. What belongs to another owner, or is
 * out of bounds, is not there: lists leave it out, and to name it is `not_found`
 * with the words for what does not exist. What concerns the whole installation is `permission_denied`.
 */
import type { AccessApi, CaissonApi, ConfigView, ImagesApi } from '../api.ts';
import { decisionsOf, policyOf } from './decisions.ts';
import { execsOf } from './execs.ts';
import { auditOf, eventsOf } from './records.ts';
import { networkOf } from './network.ts';
import { type Mine, mineOf, type Viewer } from './place.ts';
import { processesOf, sessionsOf } from './processes.ts';
import { refuse, refused } from './refused.ts';
import { files } from '../verbs/files.ts';
import { made } from './made.ts';
import { sandboxesOf } from './sandboxes.ts';

export function onlyOf(api: CaissonApi, viewer: Viewer): CaissonApi {
  const mine = mineOf(api, viewer);
  const execs = execsOf(mine);
  return {
    run: (request, options) => execs.run(request, options),
    exec: (request, options) => execs.start(request, options),
    execs,
    sandboxes: sandboxesOf(mine),
    processes: processesOf(mine),
    sessions: sessionsOf(mine),
    files: made(mine, api.files, { rows: files, byHand: {} }),
    approvals: decisionsOf(mine),
    policy: policyOf(mine),
    network: networkOf(mine),
    audit: auditOf(mine),
    events: eventsOf(mine),
    images: imagesOf(mine),
    secrets: { redactor: refuse, scan: refused, approve: refused, scanSkill: refused, acceptSkill: refused },
    access: accessOf(mine),
    tokens: { create: refused, list: refused, remove: refused, authenticate: refused, admit: refused },
    ...shared(mine),
    installation: installationOf(mine),
    config: configOf(api.config),
    close: refused,
  };
}

/** Images that are there belong to the user who pulled them, and backends and servers are of the host: only the operator sees them. */
function imagesOf({ api: { images }, isOperator }: Mine): ImagesApi {
  const list: ImagesApi['list'] = (filter, options) => images.list(filter, options);
  return { list: isOperator ? list : refused, recipes: () => images.recipes(), build: refused };
}

/** Who may talk is of the installation: only its operator's tokens may ask, and only those with `admin` change it. */
function accessOf({ api: { access }, isOperator }: Mine): AccessApi {
  const message: AccessApi['message'] = (given) => access.message(given);
  const conversation: AccessApi['conversation'] = (given) => access.conversation(given);
  return {
    ...(isOperator ? { message, conversation } : { message: refused, conversation: refused }),
    pairing: { list: refused, approve: refused, revoke: refused, clearPending: refused },
  };
}

function shared({ api, isOperator }: Mine): Pick<CaissonApi, 'backends' | 'mcpServers'> {
  const { backends, mcpServers } = api;
  const check: CaissonApi['backends']['check'] = (names, options) => backends.check(names, options);
  return {
    backends: {
      check: isOperator ? check : refused,
      ...{ account: refused, hostKeys: refused, confirmHostKey: refused },
    },
    mcpServers: {
      names: async () => (isOperator ? await mcpServers.names() : []),
      ...{ shares: refused, child: refused, inside: refused, admit: refused },
    },
  };
}

/** Figures are sums over all owners, and budgets name the owners that use the most. */
function installationOf({ api: { installation }, isOperator }: Mine): CaissonApi['installation'] {
  const ofOperator = isOperator
    ? { figures: () => installation.figures(), budgets: () => installation.budgets() }
    : { figures: refused, budgets: refused };
  return { ...ofOperator, budget: (name) => installation.budget(name), backup: refused };
}

function configOf(config: ConfigView): ConfigView {
  const { home, server } = config;
  const schema = (): Promise<object> => config.schema();
  const changes = { set: refused, create: refused, reload: refused, pending: refused };
  return { home, server, notices: [], show: refused, ...changes, schema };
}
