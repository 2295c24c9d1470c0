/** Guarantees and configurations for tests. */
import type { Guarantees, Spec } from '../../src/backend.ts';
import { unsectioned } from '../../src/config/defaults.ts';
import { defaults } from '../config/known.ts';
import type { Settled } from '../../src/plan/resolve.ts';
import type { Loaded, Terminal } from '../../src/config/types.ts';

/** What a request without a word of its own settles for a spec. */
export function settledFor(spec: Spec, over: Partial<Settled> = {}): Settled {
  return {
    spec,
    configured: spec,
    asked: new Set(),
    said: new Set(),
    keepsPrivate: true,
    usualImage: false,
    configuredCwd: null,
    timeoutMs: null,
    idleMs: null,
    ttlMs: null,
    labels: {},
    times: {},
    forwardEnv: [],
    setEnv: {},
    passEnv: [],
    skills: [],
    credentials: { configured: [], bySkills: [], directory: '/root/.caisson' },
    allowDegraded: false,
    ephemeral: false,
    ...over,
  };
}

/** A place that can give everything. */
export const generous: Guarantees = {
  isolation: 'container',
  limits: {
    cpuCores: { enforced: true, by: 'cgroup v2' },
    memoryBytes: { enforced: true, by: 'cgroup v2' },
    diskBytes: { enforced: true, by: 'quota' },
    pids: { enforced: true, by: 'cgroup v2' },
  },
  network: ['open', 'none'],
  persistence: 'place',
  ephemeral: true,
  survivesRestart: true,
  kill: 'tree',
  mounts: 'read-write',
  credentials: 'bind',
  hardening: { readOnlyRoot: true, seccomp: true, runtimes: ['runc', 'runsc'], shm: true, hostUser: true },
};

const absent = { enforced: false, reason: 'nothing here enforces it' } as const;

/** A place that can give nothing but a shell. */
export const bare: Guarantees = {
  isolation: 'none',
  limits: { cpuCores: absent, memoryBytes: absent, diskBytes: absent, pids: absent },
  network: ['open'],
  persistence: 'none',
  ephemeral: false,
  survivesRestart: false,
  kill: 'process',
  mounts: 'none',
  credentials: 'copy',
  hardening: { readOnlyRoot: false, seccomp: false, runtimes: [], shm: false, hostUser: false },
};

/** Keys of the section `terminal`, with those of backends. */
export type Keys = Partial<Terminal> & Readonly<Record<string, unknown>>;

/** A configuration whose file has these keys. */
export function loadedWith(set: Keys = {}, home = '/home/user/.caisson'): Loaded {
  const terminal = { ...defaults.terminal, ...set };
  return {
    home,
    config: {
      ...defaults,
      terminal,
      ...unsectioned,
    },
    source: '',
    origins: {},
    notices: [],
    env: {},
    forTask: () => ({ terminal, originOf: (key) => (Object.hasOwn(set, key) ? 'file F:1' : 'default') }),
  };
}

export const aSpec: Spec = {
  backend: 'docker',
  image: 'debian:12',
  limits: { cpuCores: 1, memoryBytes: 2 ** 30, diskBytes: 2 ** 30, pids: 64 },
  network: 'none',
  persistent: true,
  cwd: '/workspace',
  mounts: [{ source: '/srv/project', target: '/workspace', readOnly: false }],
  hardening: { readOnlyRoot: true, seccomp: 'builtin', runtime: 'runsc', shmBytes: 2 ** 26, user: 'host' },
};
