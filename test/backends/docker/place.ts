/** A backend on the test engine under an instance of its own, and sandboxes on it that go when the test file ends. */
import { guardianCommand } from '../../../src/exec/lane/guardian.ts';
import { randomBytes } from 'node:crypto';
import Docker from 'dockerode';
import { open } from '../../../backends/docker/backend.ts';
import type {
  Backend,
  CreateOptions,
  ExecOptions,
  OpenOptions,
  ProcessEnd,
  Sandbox,
  Spec,
} from '../../../src/backend.ts';

export const busybox = 'caisson-test/busybox:latest';
export const debian = 'caisson-test/debian:latest';

export const plain: Spec = {
  backend: 'docker',
  image: busybox,
  limits: { cpuCores: 1, memoryBytes: 256 * 1024 * 1024, diskBytes: null, pids: 128 },
  network: 'none',
  persistent: false,
  cwd: '/workspace',
  mounts: [],
  hardening: { readOnlyRoot: false, seccomp: 'builtin', runtime: null, shmBytes: null, user: 'root' },
};

export interface Ran extends ProcessEnd {
  readonly stdout: string;
  readonly stderr: string;
}

export class Place {
  readonly instance = `t${randomBytes(6).toString('hex')}`;
  readonly backend: Backend;
  /** The engine itself, to look at what we made. */
  readonly engine: Docker;

  readonly #making = new Set<Promise<unknown>>();

  /** `host` may be a way to the engine other than the usual one. */
  constructor(host: string, settings: Readonly<Record<string, unknown>> = {}, doorImage?: OpenOptions['doorImage']) {
    const doors = doorImage === undefined ? {} : { doorImage };
    this.backend = open({ env: { DOCKER_HOST: host }, instance: this.instance, settings, ...doors });
    this.engine = new Docker({ socketPath: host.slice('unix://'.length) });
  }

  options(patch: Partial<CreateOptions> = {}): CreateOptions {
    const sandbox = `sbx_${randomBytes(8).toString('hex')}`;
    const labels = {
      instance: this.instance,
      sandbox,
      task: 'test',
      fingerprint: 'f1',
      created: new Date().toISOString(),
      schema: '1',
    };
    return {
      name: `caisson-${sandbox}`,
      labels,
      directory: null,
      credentials: null,
      init: guardianCommand('test'),
      ...patch,
    };
  }

  async create(spec: Partial<Spec> = {}, options: CreateOptions = this.options()): Promise<Sandbox> {
    const making = this.backend.create({ ...plain, ...spec }, options);
    this.#making.add(making);
    const sandbox = await making;
    sandbox.init?.release();
    return sandbox;
  }

  /** Also what a test that failed did not wait for. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#making);
    for (const { ref } of await this.backend.list({ instance: this.instance }))
      await (await this.backend.attach(ref)).destroy();
    await this.backend.close();
  }
}

export async function run(
  sandbox: Sandbox,
  command: readonly [string, ...string[]],
  options: Partial<ExecOptions> = {},
): Promise<Ran> {
  const started = await sandbox.exec(command, { cwd: '/', env: {}, stdin: false, ...options });
  const [end, stdout, stderr] = await Promise.all([started.wait(), textOf(started.stdout), textOf(started.stderr)]);
  started.release();
  return { ...end, stdout, stderr };
}

export const sh = (sandbox: Sandbox, script: string, options: Partial<ExecOptions> = {}): Promise<Ran> =>
  run(sandbox, ['sh', '-c', script], options);

export async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
