/** Services on one home and one fake place, both new for each test. */
import { noWayOut } from './no-way-out.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { auditIn } from '../../src/audit/log.ts';
import type { Guarantees } from '../../src/backend.ts';
import { LaneTally } from '../../src/exec/lane/tally.ts';
import type { Context } from '../../src/sandbox/context.ts';
import type { Plan } from '../../src/plan/types.ts';
import { Budgets } from '../../src/budget/budgets.ts';
import { noClaims } from './no-claims.ts';
import { Gate } from '../../src/sandbox/gate.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import { type FakeOptions, fakeBackend } from '../fixtures/fake-backend/backend.ts';
import { FakePlace } from '../fixtures/fake-backend/place.ts';
import { spec } from './rows.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { Uses } from '../../src/sandbox/use.ts';

interface Afresh {
  readonly at: { home: string; place: FakePlace };
  /** A second one is a restart, or another process. */
  readonly service: (
    guarantees?: Partial<Guarantees>,
    facets?: FakeOptions['facets'],
    programs?: FakeOptions['programs'],
  ) => Promise<Context>;
}

/** Called where the tests are: it sets up and clears away around each of them. */
export function afresh(): Afresh {
  const at = { home: '', place: new FakePlace() };
  const closers: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    at.home = await mkdtemp(join(tmpdir(), 'caisson-life-'));
    at.place = new FakePlace();
  });
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
    await at.place.dispose();
    await rm(at.home, { recursive: true, force: true });
  });
  const service: Afresh['service'] = async (guarantees = {}, facets = {}, programs = {}) => {
    const { home, place } = at;
    const { store } = await openStore(join(home, 'caisson.db'));
    const backend = fakeBackend({ place, guarantees, facets, programs });
    closers.push(() => store.close());
    return {
      home,
      store,
      env: {},
      clock: systemClock,
      uses: new Uses(store, systemClock),
      audit: auditIn(join(home, 'audit'), { storeBytes: 1e6, fileBytes: 1e6, holder: store.holderId }),
      backend: () => Promise.resolve(backend),
      wayOut: noWayOut(() => Promise.resolve(backend)),
      gate: new Gate(2),
      claims: noClaims,
      budgets: new Budgets(() => ({})),
      live: new Map(),
      measuring: new Map(),
      lanes: Object.keys(programs).length === 0,
      laneTally: new LaneTally(),
      requirePatchedRuntime: false,
      allowed: () => ({}),
      registries: { registries: {}, owners: {} },
    };
  };
  return { at, service };
}

export async function plan(context: Context, patch: Partial<Plan> = {}): Promise<Plan> {
  const guarantees = await (await context.backend('fake')).guarantees();
  const limits = { cpuCores: null, memoryBytes: null, diskBytes: null, pids: null };
  const hardening = { ...spec.hardening, seccomp: 'engine', user: 'host' } as const;
  const own = { ...spec, image: null, network: 'open', limits, hardening, cwd: '/' } as const;
  return {
    taskId: 'demo',
    spec: own,
    configured: own,
    placed: own,
    credentials: { configured: [], bySkills: [], directory: '/root/.caisson' },
    fingerprint: 'f'.repeat(32),
    recreate: false,
    existing: false,
    degraded: [],
    allowDegraded: false,
    guarantees,
    ephemeral: false,
    idleMs: null,
    ttlMs: null,
    labels: {},
    times: {},
    bound: null,
    configuredCwd: null,
    timeoutMs: null,
    forwardEnv: [],
    setEnv: {},
    passEnv: [],
    skills: [],
    ...patch,
  };
}
