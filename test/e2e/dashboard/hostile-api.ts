/** What a service answers whose every text is hostile: names, labels, images, commands, outputs, diffs, records. */
import { hostileTexts as texts } from './hostile-texts.ts';

const at = '2026-01-01T00:00:00.000Z';
const of = (index: number): string => texts[index % texts.length] ?? '';
const idOf = (index: number): string => `sbx_${String(index).padStart(16, '0')}`;
const where = (index: number) => ({
  backend: of(index),
  taskId: of(index),
  sandboxId: idOf(index),
  host: null,
  resource: null,
  recreated: false,
});
const stream = { text: '', bytes: 0, truncated: false, omittedBytes: 0, cutAt: null, cutTo: null };
const exit = (index: number) => ({
  reason: 'signaled',
  exitCode: null,
  signal: of(index),
  durationMs: 1,
  stdout: stream,
  stderr: stream,
  notes: [of(index)],
});

const sandbox = (index: number) => ({
  id: idOf(index),
  taskId: of(index),
  backend: of(index),
  name: of(index),
  place: null,
  effective: null,
  state: 'ready',
  labels: { [of(index)]: of(index + 1) },
  directory: null,
  degraded: [{ control: of(index), wanted: 1, reason: of(index + 1), asked: true }],
  fingerprint: 'f',
  lostSince: null,
  spec: { image: of(index), network: 'filtered', cwd: `/${of(index)}` },
  createdAt: at,
  usedAt: at,
  expiresAt: null,
  ephemeral: false,
  generation: 1,
  idleTimeoutMs: null,
  lifetimeMs: null,
  resource: of(index),
  endsBy: [],
  noLanes: of(index),
});

const exec = (index: number) => ({
  id: `exec_${index}`,
  startedAt: at,
  command: ['sh', '-c', of(index)],
  where: where(index),
  exit: exit(index),
});

const act = (index: number) => ({
  kind: 'exec',
  execId: `exec_${index}`,
  taskId: of(index),
  sandboxId: idOf(index),
  backend: of(index),
  owner: of(index),
  token: of(index),
  command: ['sh', '-c', of(index)],
  startedAt: at,
  outcome: index % 2 === 0 ? 'denied' : 'failed',
  reason: of(index),
  rule: of(index),
  exitCode: null,
  signal: of(index),
  durationMs: 1,
  bytes: 1,
});

const question = (index: number) => ({
  id: `apr_${index}`,
  taskId: of(index),
  state: 'pending',
  title: of(index),
  display: of(index + 1),
  backend: of(index),
  cwd: of(index),
  variables: [of(index)],
  askedBy: of(index),
  askedAt: at,
  expiresAt: null,
  rule: of(index),
  warnings: [of(index)],
  findings: [of(index + 1)],
  diff: `-${of(index)}\n+${of(index + 1)}`,
  input: of(index),
  stdin: true,
  choices: ['once', 'session', 'always'],
  choice: null,
  answeredBy: null,
  covers: [of(index)],
  proposal: [of(index)],
});

/** Now, so that it stands on the axis of the last hour. */
const change = (index: number) => ({
  seq: index + 1,
  type: 'sandbox.state',
  at: new Date().toISOString(),
  owner: of(index),
  author: of(index),
  reason: of(index + 1),
  data: { taskId: of(index), sandboxId: idOf(index), from: 'creating', to: 'ready' },
});

const record = (index: number) => ({
  seq: index,
  at,
  type: of(index),
  prev: 'p',
  hash: 'h',
  taskId: of(index),
  execId: of(index),
  verdict: 'deny',
  rule: of(index),
});

const connection = (index: number) => ({
  seq: index,
  type: 'connection',
  startedAt: at,
  durationMs: 1,
  name: of(index),
  port: 443,
  address: of(index),
  verdict: 'deny',
  rule: of(index),
  reason: of(index),
  checked: 'server-name',
  sentBytes: 0,
  receivedBytes: 0,
});

const concern = (index: number) => ({ level: 'broken', about: 'x', message: of(index), remedy: of(index) });
const process = (index: number) => ({
  id: of(index),
  pid: 1,
  command: ['sh', '-c', of(index)],
  state: 'running',
  note: of(index),
  truncated: { stdout: false, stderr: false },
  taskId: of(index),
  sandboxId: idOf(index),
});
const limit = (index: number) => ({ name: of(index), wanted: 1, effective: 2, standing: 'measured', why: of(index) });

const all = <T>(make: (index: number) => T): readonly T[] => texts.map((_, index) => make(index));
const some = <T>(make: (index: number) => T): readonly T[] => Array.from({ length: 50 }, (_, each) => make(each * 10));

const answers: readonly (readonly [path: RegExp, answer: () => object])[] = [
  [/^\/v1\/sandboxes$/, () => ({ items: all(sandbox), nextCursor: null })],
  [/^\/v1\/execs$/, () => ({ items: all(exec), nextCursor: null })],
  [/^\/v1\/execs\//, () => [{ type: 'stdout', execId: 'exec_1', seq: 1, at, data: texts.join('\n') }]],
  [/^\/v1\/approvals$/, () => ({ items: some(question) })],
  [/^\/v1\/history$/, () => ({ items: all(act), nextCursor: null })],
  [/^\/v1\/audit$/, () => all(record)],
  [/^\/v1\/events$/, () => all(change)],
  [
    /^\/v1\/status$/,
    () => ({
      level: 'broken',
      concerns: some(concern),
      version: '1',
      backends: [],
      disk: {},
      audit: { verified: null },
    }),
  ],
  [/\/samples$/, () => ({ recent: [], minutes: [] })],
  [
    /\/limits$/,
    () => ({
      taskId: 'x',
      sandboxId: 'x',
      limits: some(limit),
      network: { mode: 'filtered', standing: 'measured', why: of(3) },
      endsBy: [],
    }),
  ],
  [
    /\/files\/list$/,
    () => ({ entries: all((index) => ({ name: of(index), kind: 'file', size: 1, mode: 0 })), truncated: false }),
  ],
  [/\/files$/, () => ({ text: texts.join('\n') })],
  [/\/network\/log$/, () => all(connection)],
  [/\/network\/suggestion$/, () => ({ taskId: 'x', seen: 1, presets: texts.slice(0, 9), allow: texts.slice(9) })],
  [/\/processes$/, () => ({ items: all(process) })],
  [/\/sessions$/, () => ({ items: all((index) => ({ name: of(index), open: true, restored: false, lost: [] })) })],
  [/^\/v1\/sandboxes\/[^/]+$/, () => sandbox(0)],
];

export const hostileAnswer = (path: string): object | null =>
  answers.find(([pattern]) => pattern.test(path))?.[1]() ?? null;
