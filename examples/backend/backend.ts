/** A whole backend in one file: sandboxes are directories of this host, and commands are processes with a mark. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type * as Contract from '../../src/backend.ts';
import { abortError, CaissonError } from '../../src/errors.ts';
import { endMarked } from './marked.ts';
import { startProcess } from './process.ts';

/** No isolation: commands are judged as those on the host itself. */
export const isolation = 'none';

export const config: Contract.BackendConfig = {
  defaults: { directory: '/tmp/caisson-directories' },
  placeKeys: ['directory'],
  schema: async () => {
    const { z } = await import('zod');
    return { directory: z.string().startsWith('/').describe('Where the records of sandboxes are.') };
  },
};

export function open({ settings }: Contract.OpenOptions): Contract.Backend {
  return new DirectoryBackend(String(settings?.['directory'] ?? config.defaults['directory']));
}

const unlimited = { enforced: false, reason: 'processes of this host have the limits of its account' } as const;

const guarantees: Contract.Guarantees = {
  isolation,
  limits: { cpuCores: unlimited, memoryBytes: unlimited, diskBytes: unlimited, pids: unlimited },
  network: ['open'],
  persistence: 'place',
  ephemeral: false,
  survivesRestart: true,
  kill: 'group',
  mounts: 'none',
  credentials: 'copy',
  hardening: { readOnlyRoot: false, seccomp: false, runtimes: [], shm: false, hostUser: true },
};

class DirectoryBackend implements Contract.Backend {
  readonly name = 'directory';
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async guarantees({ signal }: Contract.Cancelable = {}): Promise<Contract.Guarantees> {
    refuseAborted(signal);
    return guarantees;
  }

  async check({ signal }: Contract.Cancelable = {}): Promise<Contract.Check> {
    refuseAborted(signal);
    return {
      status: 'ready',
      summary: `sandboxes are recorded in ${this.#root}`,
      remedy: null,
      facts: {},
      findings: [],
    };
  }

  /** The name is the same on every try: the record of a lost answer is found by it. */
  async create(spec: Contract.Spec, { name, labels, signal }: Contract.CreateOptions): Promise<Contract.Sandbox> {
    refuseAborted(signal);
    refuseMore(spec);
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    const file = join(this.#root, `${name}.json`);
    const found = await recordOf(file);
    if (found !== null && found.sandbox !== labels.sandbox)
      throw new CaissonError('conflict', `the name ${name} belongs to sandbox ${found.sandbox}`);
    if (found?.fingerprint === labels.fingerprint) return sandboxOf(file, found);
    if (found !== null) await endMarked(found.sandbox);
    await writeFile(`${file}.new`, JSON.stringify(labels), { mode: 0o600 });
    await rename(`${file}.new`, file);
    const sandbox = sandboxOf(file, labels);
    if (signal?.aborted) await sandbox.destroy();
    refuseAborted(signal);
    return sandbox;
  }

  async attach({ v, file, sandbox }: Contract.Ref, { signal }: Contract.Cancelable = {}): Promise<Contract.Sandbox> {
    refuseAborted(signal);
    if (v !== 1 || typeof file !== 'string')
      throw new CaissonError('invalid_argument', 'this ref is of another backend');
    return sandboxOf(file, await present(file, String(sandbox)));
  }

  async list({ instance, signal }: Contract.ListOptions): Promise<readonly Contract.Listed[]> {
    refuseAborted(signal);
    const names = await readdir(this.#root).catch(() => []);
    const files = names.filter((name) => name.endsWith('.json')).map((name) => join(this.#root, name));
    const records = await Promise.all(files.map(async (file) => ({ file, labels: await recordOf(file) })));
    return records.flatMap(({ file, labels }) =>
      labels?.instance !== instance ? [] : [{ ref: refOf(file, labels), labels, state: 'running' as const }],
    );
  }

  async close(): Promise<void> {}
}

function sandboxOf(file: string, labels: Contract.Labels): Contract.Sandbox {
  const { sandbox } = labels;
  return {
    ref: refOf(file, labels),
    state: 'running',
    place: { host: hostname(), resource: file, imageDigest: null },
    exec: async (command, options) => {
      refuseAborted(options.signal);
      await present(file, sandbox);
      return await startProcess(command, options, sandbox);
    },
    destroy: async ({ signal } = {}) => {
      refuseAborted(signal);
      if ((await recordOf(file))?.sandbox !== sandbox) return;
      await endMarked(sandbox);
      await rm(file, { force: true });
    },
  };
}

function refOf(file: string, { sandbox }: Contract.Labels): Contract.Ref {
  return { v: 1, file, sandbox };
}

async function present(file: string, sandbox: string): Promise<Contract.Labels> {
  const found = await recordOf(file);
  if (found?.sandbox === sandbox) return found;
  throw new CaissonError('not_found', `sandbox ${sandbox} is gone`, { details: { sandbox } });
}

async function recordOf(file: string): Promise<Contract.Labels | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as Contract.Labels);
}

/** Core compares the spec with the guarantees first; a backend never weakens one silently. */
function refuseMore({ limits, network, mounts, hardening }: Contract.Spec): void {
  const asked = Object.values(limits).some((limit) => limit !== null) || network !== 'open' || mounts.length > 0;
  if (
    asked ||
    hardening.readOnlyRoot ||
    hardening.runtime !== null ||
    hardening.seccomp === 'builtin' ||
    hardening.shmBytes !== null
  )
    throw new CaissonError('not_supported', 'a directory of this host has no limits, mounts or hardening');
}

function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal);
}
