/** A pod of a real cluster, and `runc exec` on its node. `kubectl exec` would write a line of its own about statuses. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeDockerArchive } from '../../engines/docker-archive.ts';
import { archiveOf } from '../../engines/images.ts';
import { type Cluster, startKubernetes, whyNoKubernetes } from '../../engines/kubernetes.ts';
import { toolsImage } from '../../engines/tools-image.ts';
import type { Damage } from '../defects/defect.ts';
import type { OraclePlace, PlaceSource } from '../place.ts';
import { openOurs } from './opened.ts';
import { placeOf } from './put-together.ts';

export const kubernetes: PlaceSource = { name: 'kubernetes', unavailable: whyNot(), open };

function whyNot(): string | null {
  if (process.env['CAISSON_TEST_KUBECONFIG']) return 'the nodes of the cluster are not ours';
  if (!existsSync(archiveOf(toolsImage))) return 'the image of tools is missing: run `npm run engines`';
  return whyNoKubernetes();
}

async function open(damage?: Damage): Promise<OraclePlace> {
  const cluster = await startKubernetes(async (directory) => {
    const tag = `docker.io/${toolsImage.reference}`;
    await makeDockerArchive(archiveOf(toolsImage), join(directory, 'tools.tar'), { tag });
  });
  const keys = [
    `kubernetes_image: ${toolsImage.reference}`,
    `kubernetes_kubeconfig: ${cluster.kubeconfig}`,
    'kubernetes_policy_canary: false',
  ];
  const terminal = ['backend: kubernetes', 'container_memory: 1024', 'container_cpu: 2', ...keys].join(', ');
  const opened = await openOurs({ terminal, env: {} }, damage);
  const container = await containerOf(cluster, (opened.resource ?? '').replace(/^.*\//, ''));
  const bash: OraclePlace['bash'] = (text, { directory, stdin, tty }) => {
    // A terminal has a type, which the engines name.
    const terminal = tty ? ['-t', '--env', 'TERM=xterm'] : [];
    return { argv: [...onNode(cluster), ...terminal, '--cwd', directory, container, 'bash', '-c', text], stdin, tty };
  };
  const end = async (): Promise<void> => {
    await opened[Symbol.asyncDispose]();
    await cluster.stop();
  };
  return await placeOf(
    { name: 'kubernetes', root: '/workspace/oracle', bash, hasTerminals: true },
    { run: opened.run, end },
  );
}

async function containerOf(cluster: Cluster, pod: string): Promise<string> {
  // A sandbox takes commands before its node has reported what it runs.
  await cluster.kubectl(['wait', '--for=condition=Ready', `pod/${pod}`, '--timeout=60s']);
  const field = ['-o', 'jsonpath={.status.containerStatuses[0].containerID}'];
  return (await cluster.kubectl(['get', 'pod', pod, ...field])).replace('containerd://', '');
}

function onNode({ pid }: Cluster): readonly string[] {
  const namespaces = [`--pid=/proc/${pid}/ns/pid_for_children`, `--mount=/proc/${pid}/ns/mnt`];
  return ['nsenter', ...namespaces, 'runc', '--root', '/run/containerd/runc/k8s.io', 'exec'];
}
