/**
 * The API as one owner sees it, or a token that is bound to a part of what is the owner's. What belongs to another owner, or is
 * out of bounds, is not there: lists leave it out, and to name it is `not_found`
 * with the words for what does not exist. What concerns the whole installation is `permission_denied`.
 */
import type { AccessApi, CaissonApi, ConfigView, McpServersApi } from '../api.ts';
import { decisionsOf, policyOf } from './decisions.ts';
import { execsOf } from './execs.ts';
import { auditOf, eventsOf, historyOf } from './records.ts';
import { networkOf } from './network.ts';
import { type Mine, mineOf, type Viewer } from './place.ts';
import { processesOf, sessionsOf } from './processes.ts';
import { refused } from './refused.ts';
import { access, pairing } from '../verbs/access.ts';
import { backends } from '../verbs/backends.ts';
import { config } from '../verbs/config.ts';
import { files } from '../verbs/files.ts';
import { images } from '../verbs/images.ts';
import { installation } from '../verbs/installation.ts';
import { mcpServers } from '../verbs/mcp-servers.ts';
import { pool } from '../verbs/pool.ts';
import { secrets } from '../verbs/secrets.ts';
import { tokens } from '../verbs/tokens.ts';
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
    pool: made(mine, api.pool, { rows: pool, byHand: {} }),
    approvals: decisionsOf(mine),
    policy: policyOf(mine),
    network: networkOf(mine),
    audit: auditOf(mine),
    history: historyOf(mine),
    events: eventsOf(mine),
    images: made(mine, api.images, { rows: images, byHand: {} }),
    secrets: made(mine, api.secrets, { rows: secrets, byHand: {} }),
    access: accessOf(mine),
    tokens: made(mine, api.tokens, { rows: tokens, byHand: {} }),
    backends: made(mine, api.backends, { rows: backends, byHand: {} }),
    mcpServers: mcpServersOf(mine),
    installation: made(mine, api.installation, { rows: installation, byHand: {} }),
    config: configOf(mine),
    close: refused,
  };
}

function accessOf(mine: Mine): AccessApi {
  const noun = mine.api.access;
  const byHand = { pairing: made(mine, noun.pairing, { rows: pairing, byHand: {} }) };
  return made(mine, noun, { rows: access, byHand });
}

function mcpServersOf(mine: Mine): McpServersApi {
  const noun = mine.api.mcpServers;
  const names: McpServersApi['names'] = async () => (mine.isOperator ? await noun.names() : []);
  return made(mine, noun, { rows: mcpServers, byHand: { names } });
}

function configOf(mine: Mine): ConfigView {
  const { home, server } = mine.api.config;
  return made(mine, mine.api.config, { rows: config, byHand: { home, server, notices: [] } });
}
