import { file, tree } from '../files/hostile-tars.ts';

/** A good request for each route, in an order in which all of them succeed. */

export interface Example {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: 200. */
  readonly status?: number;
}

const build = { id: 'build' };
const json = { accept: 'application/json' };
const bytes = { 'content-type': 'application/octet-stream' };
const missing = {
  grantId: `grt_${'0'.repeat(24)}`,
  approvalId: `apr_${'0'.repeat(24)}`,
  tokenId: `tok_${'0'.repeat(16)}`,
};

/** Examples by method and path, as the table has them. A route whose state is costly to make is asked for what is not there. */
export const examples: Readonly<Record<string, Example>> = {
  'POST /v1/sandboxes': { body: { task: 'build', labels: { team: 'a' }, idleTimeoutMs: 600_000, lifetimeMs: null } },
  'GET /v1/sandboxes': { query: 'limit=10&label=team=a' },
  'GET /v1/sandboxes/{id}': { path: build },
  'PATCH /v1/sandboxes/{id}': { path: build, body: { labels: { team: 'b', stage: null }, lifetimeMs: 3_600_000 } },
  'POST /v1/sandboxes/{id}/touch': { path: build },
  'POST /v1/sandboxes/{id}/stop': { path: build, status: 204 },
  'POST /v1/sandboxes/{id}/start': { path: build },
  'GET /v1/sandboxes/{id}/network': { path: build, status: 412 },
  'PATCH /v1/sandboxes/{id}/network': { path: build, body: { deny: ['example.com'] }, status: 412 },
  'GET /v1/sandboxes/{id}/network/log': { path: build, status: 412 },
  'GET /v1/sandboxes/{id}/network/suggestion': { path: build, status: 412 },
  'GET /v1/sandboxes/{id}/limits': { path: build, headers: { accept: 'text/markdown' } },
  'GET /v1/sandboxes/{id}/stats': { path: build, status: 501 },
  'PUT /v1/sandboxes/{id}/questions': { path: build, body: { skip: false }, status: 204 },
  'POST /v1/gc': { body: { dryRun: true } },
  'POST /v1/sandboxes/{id}/execs': {
    path: build,
    body: { command: ['echo', 'hi'], execId: 'exec_example' },
    headers: json,
  },
  'POST /v1/sandboxes/{id}/code': { path: build, body: { language: 'bash', text: 'true' }, headers: json },
  'GET /v1/execs': { query: 'task=build' },
  'GET /v1/sandboxes/{id}/execs': { path: build },
  'GET /v1/sandboxes/{id}/execs/{execId}': { path: { ...build, execId: 'exec_example' }, headers: json },
  'DELETE /v1/sandboxes/{id}/execs/{execId}': { path: { ...build, execId: 'exec_example' }, status: 204 },
  'POST /v1/execs': {
    body: { task: 'build', taskId: 'build', command: ['echo', 'any'], execId: 'exec_any' },
    headers: json,
  },
  'GET /v1/execs/{execId}': { path: { execId: 'exec_any' }, headers: json },
  'DELETE /v1/execs/{execId}': { path: { execId: 'exec_any' }, status: 204 },
  'POST /v1/execs/{execId}/stdin': { path: { execId: 'exec_any' }, body: 'late', headers: bytes, status: 412 },
  'POST /v1/sandboxes/{id}/execs/{execId}/stdin': {
    path: { ...build, execId: 'exec_example' },
    body: 'late',
    headers: bytes,
    status: 412,
  },
  'GET /v1/sandboxes/{id}/logs': { path: build },
  'POST /v1/processes': {
    body: { taskId: 'build', command: ['true'], execId: 'exec_any-process' },
    status: 201,
  },
  'GET /v1/processes/{processId}': { path: { processId: 'exec_any-process' } },
  'PUT /v1/processes/{processId}/input': {
    path: { processId: 'exec_any-process' },
    body: 'one\n',
    headers: bytes,
    status: 412,
  },
  'GET /v1/processes/{processId}/wait': { path: { processId: 'exec_any-process' } },
  'DELETE /v1/processes/{processId}': { path: { processId: 'exec_any-process' } },
  'POST /v1/sandboxes/{id}/processes': {
    path: build,
    body: { command: ['true'], execId: 'exec_process' },
    status: 201,
  },
  'GET /v1/budgets': {},
  'GET /v1/pool': {},
  'POST /v1/pool/fill': {},
  'POST /v1/pool/drain': {},
  'GET /v1/processes': {},
  'GET /v1/sandboxes/{id}/processes': { path: build },
  'GET /v1/sandboxes/{id}/processes/{processId}': { path: { ...build, processId: 'exec_process' } },
  'PUT /v1/sandboxes/{id}/processes/{processId}/input': {
    path: { ...build, processId: 'exec_process' },
    body: 'one\n',
    headers: bytes,
    status: 412,
  },
  'GET /v1/sandboxes/{id}/processes/{processId}/wait': { path: { ...build, processId: 'exec_process' } },
  'DELETE /v1/sandboxes/{id}/processes/{processId}': { path: { ...build, processId: 'exec_process' } },
  'POST /v1/sandboxes/{id}/sessions': { path: build, body: { name: 'main' } },
  'POST /v1/sandboxes/{id}/sessions/{name}/execs': {
    path: { ...build, name: 'main' },
    body: { text: ['echo', 'a  b'] },
    headers: json,
  },
  'GET /v1/sandboxes/{id}/sessions': { path: build },
  'DELETE /v1/sandboxes/{id}/sessions/{name}': { path: { ...build, name: 'main' }, status: 204 },
  'PUT /v1/sandboxes/{id}/files': {
    path: build,
    query: 'path=ROOT/a.txt',
    body: 'one\n',
    headers: bytes,
  },
  'GET /v1/sandboxes/{id}/files': { path: build, query: 'path=ROOT/a.txt' },
  'PATCH /v1/sandboxes/{id}/files': {
    path: build,
    body: { path: 'ROOT/a.txt', edits: [{ find: 'one', replace: 'two' }] },
  },
  'GET /v1/sandboxes/{id}/files/list': { path: build, query: 'path=ROOT' },
  'GET /v1/sandboxes/{id}/files/stat': { path: build, query: 'path=ROOT/a.txt' },
  'GET /v1/sandboxes/{id}/files/archive': { path: build, query: 'path=ROOT/a.txt' },
  'PUT /v1/sandboxes/{id}/files/archive': {
    path: build,
    query: 'path=ROOT/unpacked',
    // ASCII alone, so that it is the same as text.
    body: tree(file('one')).toString('latin1'),
    headers: bytes,
  },
  // Not a directory: a stream without an end would not be answered whole.
  'GET /v1/sandboxes/{id}/files/watch': { path: build, query: 'path=ROOT/a.txt', status: 412 },
  'POST /v1/sandboxes/{id}/files/search': { path: build, body: { path: 'ROOT', pattern: 'two', name: 'a.txt' } },
  'POST /v1/sandboxes/{id}/files/move': { path: build, body: { path: 'ROOT/a.txt', to: 'ROOT/b.txt' }, status: 204 },
  'DELETE /v1/sandboxes/{id}/files': { path: build, query: 'path=ROOT/b.txt', status: 204 },
  'GET /v1/approvals': {},
  'GET /v1/approvals/{approvalId}': { path: missing, status: 404 },
  'POST /v1/approvals/{approvalId}': { path: missing, body: { choice: 'deny' }, status: 404 },
  'POST /v1/approvals': { body: { task: 'build', choice: 'deny' } },
  'POST /v1/access/check': {
    body: { platform: 'telegram', from: { ids: ['100'] }, channel: null, addressed: null },
  },
  'GET /v1/access/pairings': {},
  'POST /v1/access/pairings': { body: { platform: 'telegram', code: 'ABC2DEF3' }, status: 404 },
  'POST /v1/access/pairings/revoke': { body: { platform: 'telegram', user: '100' }, status: 404 },
  'GET /v1/grants': {},
  'DELETE /v1/grants/{grantId}': { path: missing, status: 404 },
  'POST /v1/policy/check': { body: { commands: ['ls', ['rm', '-rf', '/']], backend: 'local' } },
  'POST /v1/network/check': { body: { urls: [{ url: 'http://127.0.0.1/' }] } },
  'GET /v1/policy/examples': {},
  'GET /v1/policy/ignored': {},
  'GET /v1/hooks': {},
  'POST /v1/hooks': { body: { names: [] } },
  'GET /v1/suggestions': {},
  'GET /v1/sandboxes/{id}/samples': { path: build, query: 'last=6' },
  'GET /v1/top': { query: 'task=build' },
  'GET /v1/status': {},
  'GET /v1/history': { query: 'task=build&outcome=failed&outcome=lost&since=2026-01-01T00:00:00Z&limit=5' },
  'GET /v1/audit': { query: 'count=5&task=build&verdict=deny&until=2026-01-01T00:00:00Z' },
  'GET /v1/audit/verification': {},
  'GET /v1/events': { query: 'follow=false' },
  'GET /v1/events/kept': {},
  'GET /v1/images': { status: 503 },
  'GET /v1/images/recipes': {},
  'POST /v1/images': { body: { recipe: 'none-of-this-name' }, status: 501 },
  'POST /v1/tokens': {
    body: {
      name: 'other',
      scopes: ['read'],
      label: { key: 'team', value: 'a' },
      images: ['debian:12'],
      backends: ['docker'],
    },
    status: 201,
  },
  'GET /v1/tokens': {},
  'DELETE /v1/tokens/{tokenId}': { path: missing, status: 404 },
  'POST /v1/tickets': { body: { path: '/v1/sandboxes/build/pty' }, status: 201 },
  'GET /v1/backends': {},
  'GET /v1/backends/{name}/host-keys': { path: { name: 'local' }, status: 501 },
  'POST /v1/backends/{name}/host-keys': { path: { name: 'local' }, body: { host: 'h', fingerprint: 'f' }, status: 501 },
  'GET /v1/backends/{name}/account': { path: { name: 'local' }, status: 501 },
  'GET /v1/mcp-servers': {},
  'GET /v1/config': {},
  'PUT /v1/config': { body: { key: 'terminal.timeout', text: '200' }, status: 204 },
  'POST /v1/config/reload': {},
  'GET /v1/config/pending': {},
  'GET /v1/config/schema': {},
  'DELETE /v1/sandboxes/{id}': { path: build, status: 204 },
};
