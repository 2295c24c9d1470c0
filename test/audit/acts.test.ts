/** Records of the audit as acts of the history. */
import { expect, it } from 'vitest';
import { actEnd, shortened, withActs } from '../../src/audit/acts.ts';
import type { AuditEntry } from '../../src/audit/types.ts';
import type { Act, ActEnd, History } from '../../src/store/history.ts';
import { place } from './audits.ts';

function noting() {
  const begun: Act[] = [];
  const ended: (readonly [string, ActEnd])[] = [];
  const added: (readonly [Act, ActEnd])[] = [];
  const history: Pick<History, 'begun' | 'ended' | 'add'> = {
    begun: (act) => void begun.push(act),
    ended: (id, end) => void ended.push([id, end]),
    add: (act, end) => void added.push([act, end]),
  };
  return { begun, ended, added, history };
}

const run: AuditEntry = {
  type: 'run',
  taskId: 'alice.build',
  execId: 'exec_alice.1',
  sandboxId: 'sbx_1',
  backend: 'docker',
  command: ['make', 'test'],
  token: 'tok_1',
};
const exit: AuditEntry = {
  type: 'exit',
  taskId: 'alice.build',
  execId: 'exec_alice.1',
  reason: 'exited',
  exit_code: 2,
  bytes: 9,
};
const denied: AuditEntry = {
  ...run,
  type: 'decision',
  kind: 'argv',
  verdict: 'deny',
  message: 'no',
  rule: 'terminal(make:*)',
};

it('a run and its exit are one act, of the owner of its task', async () => {
  using here = place();
  const { begun, ended, history } = noting();
  const audit = withActs(here.open(), history);
  await audit.record(run);
  audit.recordSoon(exit);
  expect(begun).toMatchObject([
    { id: 'exec_alice.1', kind: 'exec', owner: 'alice', token: 'tok_1', command: ['make', 'test'] },
  ]);
  expect(ended).toMatchObject([['exec_alice.1', { outcome: 'failed', exitCode: 2, bytes: 9 }]]);
  audit.close();
});

it('a command that did not start has failed, and its end is not lost', async () => {
  using here = place();
  const { ended, history } = noting();
  const audit = withActs(here.open(), history);
  const lost = { ...exit, reason: 'lost', exit_code: null };
  audit.recordSoon({ ...lost, started: false });
  audit.recordSoon(lost);
  expect(ended.map(([, { outcome, reason }]) => [outcome, reason])).toEqual([
    ['failed', 'not_started'],
    ['lost', 'lost'],
  ]);
  audit.close();
});

it('what could not be put on record is no act', async () => {
  const { begun, history } = noting();
  using here = place();
  const failing = withActs(
    { ...withActs(here.open(), history), record: () => Promise.reject(new Error('full')) },
    history,
  );
  await expect(failing.record(run)).rejects.toThrow('full');
  await new Promise((done) => setImmediate(done));
  expect(begun).toEqual([]);
});

it('a refusal is an act with its rule, and neither a copy nor an answer to a question is one', async () => {
  using here = place();
  const { added, begun, history } = noting();
  const audit = withActs(here.open(), history);
  audit.recordSoon(denied);
  audit.recordSoon({ ...denied, kind: 'copy' });
  audit.recordSoon({ ...denied, kind: 'approval' });
  audit.recordSoon({ ...denied, verdict: 'allow' });
  await audit.record({ ...run, repeated: true });
  expect(added).toMatchObject([
    [{ id: 'exec_alice.1' }, { outcome: 'denied', rule: 'terminal(make:*)', reason: 'no' }],
  ]);
  expect(begun).toEqual([]);
  audit.close();
});

it.each([
  [{ detached: true }, 'process'],
  [{ session: true }, 'session'],
  [{}, 'exec'],
])('records a run with %j as an act of its kind', async (more, kind) => {
  using here = place();
  const { begun, history } = noting();
  const audit = withActs(here.open(), history);
  await audit.record({ ...run, ...more });
  expect(begun.map((act) => act.kind)).toEqual([kind]);
  audit.close();
});

it.each([
  ['exited', 0, 'done'],
  ['exited', 1, 'failed'],
  ['timed-out', 143, 'failed'],
  ['lost', null, 'lost'],
] as const)('an exit by %s with %s is %s', (reason, exitCode, outcome) => {
  expect(actEnd({ reason, exitCode, signal: null }).outcome).toBe(outcome);
});

it('a command is kept to some hundred characters', () => {
  expect(shortened(['echo', 'x'.repeat(1000), 'y'])).toEqual(['echo', `${'x'.repeat(395)}…`, '…']);
});
