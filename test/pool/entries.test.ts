/** Entries of the configuration as plans: a task of which nothing else is said fits the members of its entry. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Backend, Guarantees, Images } from '../../src/backend.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Loaded } from '../../src/config/types.ts';
import { entryOf, type Entry } from '../../src/pool/entries.ts';
import { memberKey } from '../../src/pool/key.ts';
import { resolveSpec } from '../../src/plan/resolve.ts';
import { compareSpec } from '../../src/plan/compare.ts';
import type { SandboxRequest } from '../../src/plan/types.ts';
import { known } from '../config/known.ts';
import { fakeBackend } from '../fixtures/fake-backend/backend.ts';

const held = { enforced: true, by: 'a test' } as const;
const container: Partial<Guarantees> = {
  isolation: 'container',
  limits: { cpuCores: held, memoryBytes: held, diskBytes: held, pids: held },
  network: ['open', 'filtered', 'observe', 'none'],
  persistence: 'directory',
  hardening: { readOnlyRoot: true, seccomp: true, runtimes: ['runsc'], shm: true, hostUser: true },
};

async function loaded(pool: string): Promise<Loaded> {
  const root = mkdtempSync(join(tmpdir(), 'caisson-pool-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const home = join(root, 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), `terminal:\n  backend: docker\npool:\n  entries:\n    web: ${pool}\n`, {
    mode: 0o600,
  });
  return await loadConfig({ backends: known, home, env: {}, cwd: root });
}

const images: Pick<Images, 'list'> = {
  list: () => Promise.resolve([{ reference: 'app:1', id: 'sha256:one', bytes: 1, created: '2026-01-01T00:00:00Z' }]),
};

function place(guarantees: Partial<Guarantees> = {}): Backend {
  return Object.assign(fakeBackend({ name: 'docker', guarantees: { ...container, ...guarantees } }), { images });
}

async function entry(pool: string, backend = place()): Promise<Entry> {
  const read = await loaded(pool);
  const [named] = Object.entries(read.config.pool.entries);
  if (named === undefined) throw new Error('there is no entry');
  return await entryOf({ backend: () => Promise.resolve(backend) }, read, named);
}

/** The key of a request, as the plan of a task has it. */
async function keyOf(request: SandboxRequest): Promise<string> {
  const read = await loaded('{ size: 1 }');
  const guarantees = await place().guarantees();
  const settled = resolveSpec(read, { taskId: 'demo', backend: 'docker', ...request }, guarantees, {
    cwd: '/',
    env: {},
  });
  return memberKey({ ...settled, ...compareSpec(settled, guarantees) });
}

describe('an entry', () => {
  it('has the key of a task of which nothing else is said', async () => {
    const { wanted, plan } = await entry('{ size: 3, image: app:1 }');
    expect(wanted).toMatchObject({ entry: 'web', size: 3, image: 'sha256:one', memoryBytes: null });
    expect(wanted.key).toBe(await keyOf({ image: 'app:1' }));
    expect(plan).toMatchObject({ ephemeral: false, idleMs: null, ttlMs: 3_600_000, labels: {}, forwardEnv: [] });
    expect(plan.spec.persistent).toBe(true);
  });

  it('has the key of a task that asks for its limits and network', async () => {
    const { wanted } = await entry('{ size: 1, image: app:1, cpu: 2, memory: 256, pids: 64, network: none }');
    const limits = { cpuCores: 2, memoryBytes: 256 * 2 ** 20, pids: 64 };
    expect(wanted.key).toBe(await keyOf({ image: 'app:1', limits, network: 'none' }));
    expect(wanted.key).not.toBe(await keyOf({ image: 'app:1', limits }));
    expect(wanted.memberBytes).toBe(256 * 2 ** 20);
  });

  it('has another key for each thing that differs inside', async () => {
    const variants = ['', ', read_only: true', ', runtime: runsc', ', shm_bytes: 65536', ', persistent: false'];
    const keys = await Promise.all(
      variants.map(async (variant) => (await entry(`{ size: 1, image: app:1${variant} }`)).wanted.key),
    );
    expect(new Set(keys).size).toBe(variants.length);
  });

  it('has its bounds by the file', async () => {
    const { wanted, plan } = await entry('{ size: 9, memory_bytes: 1073741824, max_age: 60 }');
    expect([wanted.size, wanted.memoryBytes, plan.ttlMs]).toEqual([9, 1073741824, 60_000]);
  });

  it.each([
    ['a place without isolation', { isolation: 'none' }],
    ['a place that keeps the files of tasks itself', { persistence: 'place' }],
  ] as const)('is refused on %s', async (_what, guarantees) => {
    await expect(entry('{ size: 1, image: app:1 }', place(guarantees))).rejects.toMatchObject({
      code: 'not_supported',
    });
  });
});

describe('the configuration', () => {
  it.each([
    ['{ image: app:1 }', 'size'],
    ['{ size: 0 }', 'size'],
    ['{ size: 1, network: observe }', 'network'],
    ['{ size: 1, max_age: 1 }', 'max_age'],
    ['{ size: 1, imge: app }', 'imge'],
  ])('refuses %s', async (text, key) => {
    await expect(loaded(text)).rejects.toThrow(key);
  });
});
