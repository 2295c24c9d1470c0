/**
 * A real cluster of one node, in namespaces of its own on this machine. `npm run engines -- kubernetes` builds its programs once,
 * from Debian's source package: a server of 2021, which no other machine can reach, and which is never shipped.
 * `CAISSON_TEST_KUBECONFIG` names the file of a cluster that a person provides instead.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeDockerArchive } from './docker-archive.ts';
import { archiveOf, testImages } from './images.ts';
import { kubernetesPrograms } from './kubernetes/programs.ts';
import { freeLink, joinToHost } from './namespace.ts';
import { findCommand } from './privileges.ts';

const readyWithinMs = 120_000;
/** Has the program ip too. */
export const kubernetesImage = 'caisson-test/busybox:latest';

export interface Cluster {
  readonly kubeconfig: string;
  /** A process in its namespaces. */
  readonly pid: number;
  /** Directory of its logs and files. */
  readonly directory: string;
  stop(): Promise<void>;
}

/** `null`: it should work. */
export function whyNoKubernetes(): string | null {
  if (process.env['CAISSON_TEST_KUBECONFIG']) return null;
  if (process.getuid?.() !== 0) return 'the test cluster needs root';
  const missing = ['containerd', 'runc', 'unshare', 'nsenter', 'ip', 'openssl'].filter(
    (name) => findCommand(name) === null,
  );
  if (missing.length > 0) return `${missing.join(', ')} not found: run \`npm run engines\``;
  return existsSync(kubernetesPrograms()) ? null : 'no test cluster: run `npm run engines -- kubernetes`';
}

export async function startKubernetes(): Promise<Cluster> {
  const given = process.env['CAISSON_TEST_KUBECONFIG'];
  if (given) return { kubeconfig: given, pid: 0, directory: '', stop: async () => undefined };
  const directory = mkdtempSync(join(tmpdir(), 'caisson-kubernetes-'));
  await makeImages(join(directory, 'images'));
  const link = freeLink();
  const script = fileURLToPath(new URL('kubernetes/keeper.sh', import.meta.url));
  const args = [script, kubernetesPrograms(), directory, basename(directory), link.peer];
  const keeper = spawn('bash', args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const stop = async (): Promise<void> => {
    if (keeper.exitCode !== null) return;
    const ended = once(keeper, 'exit');
    keeper.stdin.end();
    await ended;
  };
  try {
    const [line] = await once(createInterface(keeper.stdout), 'line');
    const pid = Number(line);
    await joined(pid, link);
    await ready(directory);
    return { kubeconfig: join(directory, 'admin.kubeconfig'), pid, directory, stop };
  } catch (error) {
    const said = tail(join(directory, 'cluster.log'));
    await stop();
    rmSync(directory, { recursive: true, force: true });
    throw new Error(`the test cluster does not start: ${said}`, { cause: error });
  }
}

async function makeImages(directory: string): Promise<void> {
  mkdirSync(directory);
  const busybox = testImages.find(({ reference }) => reference === kubernetesImage);
  if (busybox === undefined) throw new Error(`there is no test image ${kubernetesImage}`);
  const layer = archiveOf(busybox);
  const pause = { tag: 'docker.io/library/caisson-pause:latest', Cmd: ['/bin/sleep', '2147483647'] };
  await makeDockerArchive(layer, join(directory, 'pause.tar'), pause);
  await makeDockerArchive(layer, join(directory, 'busybox.tar'), { tag: `docker.io/${kubernetesImage}` });
}

/** The namespaces are made a moment after the process. */
async function joined(pid: number, link: ReturnType<typeof freeLink>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      const own = readlinkOf('self');
      if (readlinkOf(String(pid)) !== own) return await joinToHost(pid, link);
    } catch (error) {
      if (tries > 50) throw error;
    }
    await sleep(20);
  }
}

const readlinkOf = (pid: string): string => readlinkSync(`/proc/${pid}/ns/net`);

async function ready(directory: string): Promise<void> {
  const deadline = Date.now() + readyWithinMs;
  while (!existsSync(join(directory, 'ready'))) {
    if (Date.now() > deadline) throw new Error(`no node after ${readyWithinMs / 1000} s`);
    await sleep(100);
  }
}

function tail(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n').slice(-5).join('\n') : '';
}
