/** An installation at three in the morning: 60 sandboxes of three owners, of which one eats memory, with a denied command and a lost one. */
import type { AuditRecord, CaissonApi, HistoryEntry, SandboxUse, SandboxView } from '../../../src/service/api.ts';
import { judged } from '../../../src/service/watch/concerns.ts';
import { ownerOf } from '../../../src/values/owner.ts';
import { noon } from '../cli.ts';
import { spec } from '../double-data.ts';
import { Double } from '../double.ts';
import { defaultView } from '../double-views.ts';

const ago = (minutes: number): string => new Date(noon - minutes * 60_000).toISOString();
const mib = 1024 ** 2;
const kinds = ['build', 'test', 'crawl', 'train'] as const;
/** Tasks of the operator have no prefix. */
const prefixes = ['', 'alice.', 'bob.'] as const;

const tasks = Array.from({ length: 60 }, (_, n) => `${prefixes[n % 3]}${kinds[n % 4]}-${String(n).padStart(2, '0')}`);
export const hog = 'alice.train-07';
const stuck = 'bob.train-11';

const views: readonly SandboxView[] = tasks.map((taskId, n) => ({
  ...defaultView,
  id: `sbx_${String(n).padStart(16, '0')}`,
  taskId,
  backend: 'docker',
  name: `caisson-${n}`,
  generation: 1,
  spec: { ...spec, image: n % 4 === 3 ? 'caisson/python:3.13' : 'caisson/base' },
  degraded: [],
  labels: n % 4 === 3 ? { team: 'search' } : {},
  state: taskId === stuck ? 'creating' : n % 10 === 9 ? 'stopped' : 'ready',
  createdAt: ago(60 * 24 + n * 7),
  usedAt: ago(n),
  expiresAt: new Date(noon + (90 - n) * 60_000).toISOString(),
}));

const uses: readonly SandboxUse[] = views.map(({ taskId, id: sandboxId, backend, state, usedAt, expiresAt }, n) => {
  const memoryBytes = taskId === hog ? 497 * mib : (20 + n) * mib;
  const network = { networkReceivedBytes: n * mib, networkSentBytes: n * 1024 };
  const limits = { memoryLimitBytes: 512 * mib, pidsLimit: 256 };
  const stats = { cpuNanos: n * 1e9, memoryBytes, pids: 3 + (n % 5), ...limits, ...network };
  const command =
    taskId === hog ? ['python3', 'train.py', '--epochs', '400', '--checkpoint', 'out/model.pt'] : ['make', 'test'];
  return {
    taskId,
    sandboxId,
    backend,
    state,
    usedAt,
    expiresAt,
    owner: ownerOf(taskId),
    why: null,
    ...(state === 'ready' ? { stats, cpuCores: taskId === hog ? 1.98 : 0.02 } : { stats: null, cpuCores: null }),
    diskBytes: n * 10 * mib,
    last: { command, startedAt: ago(n + 1), outcome: taskId === hog ? 'running' : 'done' },
  };
});

function actOf(n: number): HistoryEntry {
  const taskId = tasks[n % tasks.length] ?? '';
  const owner = ownerOf(taskId);
  const isFailed = n % 12 === 5;
  return {
    kind: 'exec',
    execId: `exec_${n}`,
    taskId,
    sandboxId: `sbx_${n}`,
    backend: 'docker',
    owner,
    token: owner === 'operator' ? null : `tok_${owner}`,
    command: ['make', n % 2 === 0 ? 'test' : 'build'],
    startedAt: ago(10 + n * 24),
    ...(isFailed ? { outcome: 'failed', exitCode: 2 } : { outcome: 'done', exitCode: 0 }),
    reason: 'exited',
    rule: null,
    signal: null,
    durationMs: 1200 + n * 10,
    bytes: 4096 + n,
  };
}

const denied: HistoryEntry = {
  ...actOf(7),
  taskId: 'alice.build-04',
  owner: 'alice',
  execId: 'exec_denied',
  command: ['git', 'push', 'origin', 'main'],
  startedAt: ago(33),
  outcome: 'denied',
  reason: 'the command is refused',
  rule: 'terminal(git push:*)',
  sandboxId: null,
  exitCode: null,
  durationMs: null,
  bytes: null,
};
const lost: HistoryEntry = {
  ...actOf(11),
  taskId: 'bob.crawl-26',
  owner: 'bob',
  execId: 'exec_lost',
  command: ['python3', 'crawl.py'],
  startedAt: ago(47),
  outcome: 'lost',
  reason: 'lost',
  exitCode: null,
  durationMs: null,
  bytes: null,
};
const acts = [...Array.from({ length: 120 }, (_, n) => actOf(n)), denied, lost].toSorted((a, b) =>
  b.startedAt.localeCompare(a.startedAt),
);

const history: CaissonApi['history'] = {
  list: ({ task, owner, since = '', until = '~', outcomes } = {}) => {
    const fits = (act: HistoryEntry): boolean =>
      act.startedAt >= since &&
      act.startedAt < until &&
      (task ?? act.taskId) === act.taskId &&
      (owner ?? act.owner) === act.owner &&
      (outcomes === undefined || outcomes.some((outcome) => outcome === act.outcome));
    return Promise.resolve({ items: acts.filter(fits), nextCursor: null });
  },
};

const chained = { prev: '0'.repeat(64), hash: '1'.repeat(64) };
const decision = { type: 'decision', holder: 'own_1', kind: 'argv', backend: 'docker', ...chained } as const;
const records: readonly AuditRecord[] = [
  {
    seq: 40_122,
    at: ago(33),
    ...decision,
    owner: 'alice',
    token: 'tok_alice',
    taskId: 'alice.build-04',
    execId: 'exec_denied',
    verdict: 'deny',
    command: denied.command,
    rule: 'terminal(git push:*)',
  },
  {
    seq: 40_310,
    at: ago(21),
    ...decision,
    owner: 'bob',
    taskId: 'bob.test-05',
    execId: null,
    kind: 'approval',
    verdict: 'allow',
    answered: 'session',
    approval: 'apr_1',
    by: 'carol (tok_carol)',
    command: ['rm -rf ./dist'],
  },
];

const audit: Pick<CaissonApi['audit'], 'tail'> = {
  async *tail({ verdict, count }) {
    yield* records.filter((record) => (verdict ?? record['verdict']) === record['verdict']).slice(-count);
    await Promise.resolve();
  },
};

export const state = judged({
  version: '0.1.0',
  startedAt: ago(60 * 50),
  execsRunning: 4,
  approvalsWaiting: 1,
  webhooks: [],
  budgets: [],
  pending: {
    holds: ['approvals.rules.deny: terminal(git push:*)'],
    loosens: [],
    reload: ['approvals.rules'],
    restart: ['server.port'],
    problem: null,
  },
  backends: [{ backend: 'docker', status: 'ready', summary: 'engine 27.0 answers' }],
  disk: { freeBytes: 700 * mib, totalBytes: 200 * 1024 * mib, freeInodes: 90_000 },
  sandboxes: [
    { backend: 'docker', state: 'ready', count: 53 },
    { backend: 'docker', state: 'stopped', count: 6 },
    { backend: 'docker', state: 'creating', count: 1 },
  ],
  stuck: [{ taskId: stuck, state: 'creating', since: ago(180) }],
  day: { lost: 1, denied: 1 },
  egress: { running: true, figures: { open: 2, allowed: 900, denied: 14, sentBytes: 10, receivedBytes: 20 } },
  audit: { records: 40_312, bytes: 20 * mib, verified: { at: ago(600), through: 38_000, intact: true } },
});

/** One double for each command line: it is closed with it. */
export function installation(): Double {
  const double = new Double();
  const { sandboxes, installation: own, audit: usual } = double;
  return Object.assign(double, {
    history,
    audit: { ...usual, ...audit },
    installation: { ...own, status: async () => await Promise.resolve(state) },
    sandboxes: {
      ...sandboxes,
      top: async () => await Promise.resolve(uses),
      list: async () => await Promise.resolve({ items: views, nextCursor: null }),
    },
  });
}
