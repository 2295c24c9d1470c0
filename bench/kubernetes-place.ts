/** A cluster of one node on this machine, Caisson on it, and raw pods and commands by the same transport beside it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openAccess } from '../backends/kubernetes/access.ts';
import { Api } from '../backends/kubernetes/api.ts';
import { identityOf, Namespace } from '../backends/kubernetes/namespace.ts';
import { settingsOf } from '../backends/kubernetes/settings.ts';
import { openSocket } from '../backends/kubernetes/socket.ts';
import { Wire } from '../backends/kubernetes/wire.ts';
import { CaissonError } from '../src/errors.ts';
import { type Cluster, kubernetesImage, startKubernetes, whyNoKubernetes } from '../test/engines/kubernetes.ts';
import type { BenchPlace } from './place.ts';

export interface KubernetesPlace {
  readonly caisson: BenchPlace['caisson'];
  readonly raw: RawPods;
  readonly cluster: Cluster;
}

export async function withKubernetesPlace<T>(work: (place: KubernetesPlace) => Promise<T>): Promise<T> {
  const why = whyNoKubernetes();
  if (why !== null) throw new CaissonError('failed_precondition', why);
  const { openCaisson } = await import('../src/main.ts');
  const cluster = await startKubernetes();
  const home = await mkdtemp(join(tmpdir(), 'caisson-bench-'));
  const flags = {
    'terminal.backend': 'kubernetes',
    'terminal.kubernetes_image': kubernetesImage,
    'terminal.kubernetes_kubeconfig': cluster.kubeconfig,
    'terminal.kubernetes_policy_canary': false,
    'terminal.container_memory': 64,
  };
  const caisson = await openCaisson({ home, env: process.env, cwd: home, flags });
  const access = await openAccess(
    { env: process.env, instance: 'bench' },
    settingsOf({ kubeconfig: cluster.kubeconfig }),
  );
  const raw = new RawPods(new Namespace(new Api(access)));
  try {
    return await work({ caisson, raw, cluster });
  } finally {
    raw.close();
    await caisson.close();
    await cluster.stop();
    await rm(home, { recursive: true, force: true });
  }
}

/** Pods without any promise, and a connection for each command, as kubectl has it. */
export class RawPods {
  readonly #namespace: Namespace;
  #made = 0;

  constructor(namespace: Namespace) {
    this.#namespace = namespace;
  }

  async create(): Promise<string> {
    const name = `raw-${(this.#made += 1)}`;
    await this.#namespace.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: {
        containers: [
          { name: 'main', image: kubernetesImage, imagePullPolicy: 'IfNotPresent', command: ['sleep', '3600'] },
        ],
        terminationGracePeriodSeconds: 0,
        automountServiceAccountToken: false,
        enableServiceLinks: false,
      },
    });
    return name;
  }

  /** Resolves when a command has ended in it, which works before its status says that it runs. */
  async ready(name: string): Promise<void> {
    for (;;) {
      const code = await this.exec(name, ['true']).catch(() => null);
      if (code === 0) return;
      await sleep(20);
    }
  }

  async exec(name: string, command: readonly string[]): Promise<number> {
    const query = new URLSearchParams({ container: 'main', stdout: 'true', stderr: 'true' });
    for (const word of command) query.append('command', word);
    const path = `${this.#namespace.path('pods', name)}/exec?${query.toString()}`;
    const wire = new Wire(await openSocket(this.#namespace.api, { path }), 'status');
    for (const stream of [wire.stdout, wire.stderr]) stream.resume();
    return await wire.end;
  }

  async remove(name: string): Promise<void> {
    const pod = await this.#namespace.pod(name);
    if (pod === null) return;
    await this.#namespace.remove('pods', identityOf(pod));
    await this.#namespace.gone('pods', identityOf(pod));
  }

  close(): void {
    this.#namespace.api.close();
  }
}
