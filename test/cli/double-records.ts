/** Changes of state and audit entries that the double knows from the start. */
import type { AuditRecord, CaissonApi, EventView, HistoryEntry } from '../../src/service/api.ts';

export const events: CaissonApi['events'] = {
  follow: async function* ({ after = 0, task = 'build' } = {}) {
    const data = { sandboxId: 'sbx_1', taskId: 'build', from: 'ready', to: 'stopping' };
    const common = { at: '2026-01-02T11:00:00.000Z', owner: 'operator', author: 'sweeper', reason: 'idle', data };
    const exec = { sandboxId: 'sbx_1', taskId: 'build', execId: 'exec_\u001b[2J', reason: 'exited', exitCode: 3 };
    const events: EventView[] = [
      { seq: 1, type: 'exec.ended', ...common, author: 'tok_1', reason: null, data: exec },
      { seq: 2, type: 'sandbox.state', ...common },
    ];
    yield* events.filter(({ seq, data: { taskId } }) => seq > after && taskId === task);
    await Promise.resolve();
  },
  kept: () => Promise.resolve({ oldest: 1, newest: 2 }),
};

export const audit: CaissonApi['audit'] = {
  tail: async function* ({ count }) {
    const common = { taskId: 'build', execId: 'exec_1', prev: '0'.repeat(64), hash: '1'.repeat(64) };
    const run = { backend: 'docker', command: ['sh', '-c', 'printf \u001b[2J'] };
    const records: AuditRecord[] = [
      { seq: 1, at: '2026-01-02T11:00:00.000Z', type: 'run', ...common, ...run },
      { seq: 2, at: '2026-01-02T11:00:01.000Z', type: 'exit', ...common, reason: 'exited', exit_code: 3 },
    ];
    yield* records.slice(-count);
    await Promise.resolve();
  },
  verify: () =>
    Promise.resolve({
      intact: false,
      records: 4,
      firstSeq: 1,
      lastSeq: 4,
      torn: 0,
      broken: { file: 'audit.ndjson', line: 5, seq: 5, reason: 'is not as it was written' },
    }),
};

const entry: HistoryEntry = {
  kind: 'exec',
  execId: 'exec_1',
  taskId: 'build',
  sandboxId: 'sbx_1',
  backend: 'docker',
  owner: 'operator',
  token: null,
  command: ['sh', '-c', 'printf \u001b[2J'],
  startedAt: '2026-01-02T11:00:00.000Z',
  outcome: 'failed',
  reason: 'exited',
  rule: null,
  exitCode: 3,
  signal: null,
  durationMs: 1500,
  bytes: 2048,
};
const refused: HistoryEntry = {
  ...entry,
  execId: 'exec_2',
  sandboxId: null,
  owner: 'alice',
  token: 'tok_1',
  command: ['git', 'push'],
  outcome: 'denied',
  reason: 'the command is refused',
  rule: 'terminal(git push:*)',
  exitCode: null,
  durationMs: null,
  bytes: null,
};

export const history: CaissonApi['history'] = {
  list: ({ outcomes, task, owner } = {}) => {
    const items = [refused, entry].filter(
      (each) =>
        (outcomes === undefined || outcomes.some((outcome) => outcome === each.outcome)) &&
        (task === undefined || each.taskId === task) &&
        (owner === undefined || each.owner === owner),
    );
    return Promise.resolve({ items, nextCursor: null });
  },
};
