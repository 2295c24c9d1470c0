/** What the double knows from the start. */
import type {
  AnswerAll,
  AccountView,
  BackendCheck,
  CaissonApi,
  ConfigFile,
  ConfigView,
  HostKey,
  RuleExamples,
  Spec,
  Stats,
  TaskProcess,
  TokenView,
} from '../../src/service/api.ts';
import { CaissonError } from '../../src/errors.ts';
import { Redaction } from '../../src/redact/redactor.ts';
import { scan } from '../../src/secrets/scan/scan.ts';
import { installation } from './double-installation.ts';
import { network } from './double-network.ts';
import { openChecker } from '../../src/policy/checker.ts';
import { access } from './double-access.ts';
import { audit, events, history } from './double-records.ts';
import { pool } from './double-pool.ts';

export const spec: Spec = {
  backend: 'docker',
  image: 'debian:12',
  limits: { cpuCores: 1, memoryBytes: 512 * 1024 ** 2, diskBytes: null, pids: 256 },
  network: 'open',
  persistent: true,
  cwd: '/workspace',
  mounts: [],
  hardening: { readOnlyRoot: false, seccomp: 'builtin', runtime: null, shmBytes: null, user: 'root' },
};

export const checks: readonly BackendCheck[] = [
  {
    backend: 'docker',
    module: null,
    degraded: [{ control: 'diskBytes', wanted: 1024, reason: 'overlay2 on ext4 has no quota\u001b', asked: false }],
    check: {
      status: 'ready',
      summary: 'Docker 20.10.24 answers',
      remedy: null,
      facts: { version: '20.10.24', cgroup: 'v1' },
      findings: [
        {
          severity: 'warning',
          id: 'CVE-2024-21626',
          message: 'runc 1.1.5 lets a process leave its container',
          remedy: 'install runc 1.1.12 or newer',
        },
      ],
    },
  },
  {
    backend: 'singularity',
    module: null,
    degraded: [],
    check: {
      status: 'missing',
      summary: 'apptainer is not on the PATH\u001b[31m',
      remedy: 'apt-get install apptainer',
      facts: {},
      findings: [],
    },
  },
];

export const configFile: ConfigFile = {
  home: '/srv/caisson',
  read: () => Promise.resolve(null),
  check: () => Promise.resolve(),
  set: () => Promise.resolve(),
  replace: () => Promise.resolve(),
  create: () => Promise.resolve(),
};

export const config: ConfigView = {
  reload: () => Promise.resolve({ changed: [], needsRestart: [] }),
  pending: () => Promise.resolve({ holds: [], loosens: [], reload: [], restart: [], problem: null }),
  home: '/srv/caisson',
  notices: [],
  server: {
    host: '127.0.0.1',
    port: 0,
    socket: null,
    hosts: [],
    origins: [],
    tls_cert: null,
    tls_key: null,
    proxies: [],
    shutdown_seconds: 1,
    dashboard: false,
    samples: false,
  },
  show: async () => [
    { key: 'terminal.backend', value: 'docker', origin: 'file' },
    { key: 'terminal.timeout', value: 180, origin: 'default' },
    { key: 'pool.size', value: null, origin: 'default' },
  ],
  set: () => Promise.resolve(),
  create: () => Promise.resolve(),
  schema: () => Promise.resolve({ type: 'object' }),
};

const images: CaissonApi['images'] = {
  list: () =>
    Promise.resolve([
      {
        backend: 'docker',
        reference: 'deb:latest',
        id: 'sha256:0123456789abcdef',
        bytes: 123_456_789,
        created: '2026-01-01T00:00:00Z',
      },
    ]),
  recipes: () => Promise.resolve([{ name: 'sandbox', reference: 'caisson/sandbox:1', about: 'Debian with tools' }]),
  build: (recipe, how) =>
    Promise.resolve({ reference: `caisson/${recipe}:1`, id: `sha256:${how.method ?? 'default'}` }),
};

const mcpServers: CaissonApi['mcpServers'] = {
  names: async () => [],
  child: async (name) => {
    throw new CaissonError('not_found', name);
  },
  shares: async () => false,
  inside: async (name) => {
    throw new CaissonError('not_found', name);
  },
  admit: async () => {},
};

export const secretsOf = (approved: string[]): CaissonApi['secrets'] => ({
  redactor: ({ names = [] } = {}) => new Redaction(names.map((name) => ({ name, value: `value of ${name}` }))).stream(),
  scan: (file) => Promise.resolve(scan(file, (sha256) => approved.includes(sha256))),
  approve: ({ sha256 }) => Promise.resolve(void approved.push(sha256)),
  scanSkill: (path) => Promise.reject(new CaissonError('invalid_argument', `${path} has no SKILL.md`)),
  acceptSkill: () => Promise.resolve(),
});

export const wholeRules: readonly RuleExamples[] = ['D1', 'H1'].map((rule, at) => ({
  rule,
  examples: 3 + at,
  problems: [],
}));

export const policyWith = (
  rules: readonly RuleExamples[],
  ignored: CaissonApi['policy']['ignored'] = () => Promise.resolve([]),
): CaissonApi['policy'] => ({
  examples: () => Promise.resolve(rules),
  ignored,
  ready: () => Promise.resolve(),
  checker: ({ backend = 'docker', cwd = '/workspace', ...settings }) =>
    openChecker({ isolation: backend === 'local' ? 'none' : 'container', cwd, settings }),
  hooks,
});

const approvals: CaissonApi['approvals'] = {
  suggest: () =>
    Promise.resolve([
      { owner: 'operator', rule: 'terminal(npm publish)', times: 7, tasks: 2, lastAt: '2026-01-02T11:00:00.000Z' },
    ]),
  list: () =>
    Promise.resolve([
      {
        id: 'apr_1',
        taskId: 'build',
        state: 'pending',
        askedBy: null,
        askedAt: '2026-01-02T11:59:30.000Z',
        expiresAt: null,
        title: 'DANGEROUS COMMAND',
        display: 'rm -rf build',
        rule: null,
        stdin: false,
        input: null,
        variables: [],
        warnings: [],
        diff: null,
        findings: ['recursive delete', 'recursive delete'],
        backend: 'local',
        cwd: null,
        choice: null,
        answeredBy: null,
        choices: ['once', 'deny'],
        covers: [],
        proposal: [],
      },
    ]),
  get: (id) => Promise.reject(new CaissonError('not_found', `there is no question ${id}`)),
  answerAll: ({ taskId }: AnswerAll) =>
    Promise.resolve({
      answered: taskId === 'build' ? ['apr_1'] : [],
      left: taskId === 'late' ? [{ id: 'apr_2', why: 'late' }] : [],
    }),
  answer: (id, choice) =>
    id === 'apr_1' && choice !== 'always'
      ? Promise.resolve()
      : Promise.reject(new CaissonError('not_found', `there is no question ${id}`)),
  grants: () =>
    Promise.resolve([
      {
        id: 'grt_1',
        taskId: 'build',
        covers: ['recursive delete'],
        grantedBy: 'me on a terminal',
        grantedAt: '2026-01-02T11:00:00.000Z',
        expiresAt: null,
      },
    ]),
  revoke: (id) =>
    id === 'grt_1'
      ? Promise.resolve()
      : Promise.reject(new CaissonError('not_found', `there is no answer ${id} that still holds`)),
  skip: async () => undefined,
};

const token: TokenView = {
  bounds: null,
  id: 'tok_0123456789abcdef',
  owner: 'operator',
  name: 'agent',
  scopes: ['run', 'read'],
  createdAt: '2026-01-02T11:00:00.000Z',
  expiresAt: null,
  limits: { execs: null, requestsPerMinute: null },
};

const tokens: CaissonApi['tokens'] = {
  create: (input) => Promise.resolve({ ...token, name: input.name, scopes: input.scopes, token: 'caisson_secret' }),
  list: () => Promise.resolve([token]),
  remove: (id) =>
    id === token.id ? Promise.resolve() : Promise.reject(new CaissonError('not_found', `there is no token "${id}"`)),
  authenticate: () => Promise.resolve(null),
  admit: () => Promise.resolve(),
};

const hook = { tool: 'terminal', command: ['~/check\u001b[2J'], path: '/home/me/check', problem: null };

const accepted = [{ path: hook.path, sha256: 'a'.repeat(64) }];

const hooks: CaissonApi['policy']['hooks'] = {
  list: () =>
    Promise.resolve([
      { ...hook, state: 'new', files: accepted },
      {
        ...hook,
        state: 'unusable',
        files: [{ path: hook.path, sha256: null }],
        problem: 'other users may write it: chmod go-w',
      },
    ]),
  accept: (names) => Promise.resolve(names.length === 0 ? [{ ...hook, state: 'accepted', files: accepted }] : []),
};

/** `confirmed`: fingerprints, in the order in which they were. */
export function backendsIn(
  { keys = [], accounts = [] }: { readonly keys?: readonly HostKey[]; readonly accounts?: readonly AccountView[] },
  confirmed: string[],
): Omit<CaissonApi['backends'], 'check'> {
  const asKnown = (key: HostKey): HostKey =>
    confirmed.includes(key.fingerprint) ? { ...key, standing: 'known', refusal: null } : key;
  return {
    account: (names) => Promise.resolve(accounts.filter(({ backend }) => names.includes(backend))),
    hostKeys: () => Promise.resolve(keys.map(asKnown)),
    confirmHostKey: (_backend, { fingerprint }) => Promise.resolve(void confirmed.push(fingerprint)),
  };
}

export const usage: Stats = {
  cpuNanos: 83_000_000_000,
  memoryBytes: 96 * 1024 ** 2,
  memoryLimitBytes: 512 * 1024 ** 2,
  pids: 7,
  pidsLimit: 256,
  networkReceivedBytes: 2048,
  networkSentBytes: null,
};

export const detached: TaskProcess = {
  id: 'exec_1',
  taskId: 'build',
  sandboxId: 'sbx_build',
  pid: 42,
  command: ['sleep', '1\u001b[2J'],
  state: 'exited',
  startedAt: '2026-01-02T11:00:00.000Z',
  endedAt: '2026-01-02T11:00:01.000Z',
  durationMs: 1200,
  reason: 'exited',
  exitCode: 3,
  signal: null,
  signalGuessed: false,
  supervised: true,
  truncated: { stdout: true, stderr: false },
  backgroundOpen: false,
  inputOpen: false,
};

/** What is the same for every double. */
export class Fixed {
  readonly config = config;
  readonly images = images;
  readonly mcpServers = mcpServers;
  readonly audit = audit;
  readonly events = events;
  readonly history = history;
  readonly approvals = approvals;
  readonly pool = pool;
  readonly access = access;
  readonly network = network;
  readonly installation = installation;
  readonly tokens = tokens;
}
