/** One Apptainer for a test file, and sandboxes on it. */
import { randomBytes } from 'node:crypto';
import { open } from '../../../backends/singularity/backend.ts';
import type { Backend, CreateOptions, Sandbox, Spec } from '../../../src/backend.ts';
import { plainSpec } from '../../conformance/spec.ts';
import { type Apptainer, startApptainer } from '../../engines/apptainer.ts';

export const instance = `inst${randomBytes(4).toString('hex')}`;

export class TestPlace {
  readonly apptainer: Apptainer;
  readonly backend: Backend;

  private constructor(apptainer: Apptainer) {
    this.apptainer = apptainer;
    this.backend = open({ env: apptainer.env, instance, settings: apptainer.settings });
  }

  static async open(): Promise<TestPlace> {
    return new TestPlace(await startApptainer());
  }

  async create(spec: Partial<Spec> = {}, options: Partial<CreateOptions> = {}): Promise<Sandbox> {
    return await this.backend.create({ ...this.spec(), ...spec }, { ...createOptions(), ...options });
  }

  spec(): Spec {
    const plain = plainSpec('singularity', { image: this.apptainer.busybox, cwd: '/workspace', persistent: false });
    return { ...plain, hardening: { ...plain.hardening, seccomp: 'builtin' } };
  }

  /** Images of the account that runs containers. */
  async cache(): Promise<string> {
    const { facts } = await this.backend.check();
    return String(facts['cache']);
  }

  async close(): Promise<void> {
    for (const { ref } of await this.backend.list({ instance })) await (await this.backend.attach(ref)).destroy();
    await this.backend.close();
    this.apptainer.remove();
  }
}

export function createOptions(): CreateOptions {
  const id = randomBytes(6).toString('hex');
  return {
    name: `caisson-${id}`,
    labels: {
      instance,
      sandbox: `sbx_${id}`,
      task: `task-${id}`,
      fingerprint: 'f1',
      created: '2026-01-01T00:00:00Z',
      schema: '1',
    },
    directory: null,
    credentials: null,
    init: ['true'],
  };
}
