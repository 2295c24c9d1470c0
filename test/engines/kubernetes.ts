/**
 * A real cluster of one node, in namespaces of its own on this machine. `npm run engines -- kubernetes` builds its programs once,
 * from Debian's source package: a server of 2021, which no other machine can reach, and which is never shipped.
 * `CAISSON_TEST_KUBECONFIG` names the file of a cluster that a person provides instead.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeDockerArchive } from './docker-archive.ts';
import { archiveOf, testImages } from './images.ts';
import { kubernetesPrograms } from './kubernetes/programs.ts';
import { freeLink, joinToHost } from './namespace.ts';
import { findCommand } from './privileges.ts';

const run = promisify(execFile);
const readyWithinMs = 120_000;
/** Has the program ip too. */
export const kubernetesImage = 'caisson-test/busybox:latest';

export interface Cluster {
  readonly kubeconfig: string;
  /** A process in its namespaces. */
  readonly pid: number;
  /** Directory of its logs and files. */
  readonly directory: string;
  /** Runs kubectl as the administrator of the cluster; what it prints. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** Names of pods and claims of sandboxes. */
  sandboxes(): Promise<readonly string[]>;
  /** One that KILL ends is started again. */
  signal(program: 'apiserver' | 'kubelet', name: 'KILL' | 'STOP' | 'CONT'): Promise<void>;
  /**
   * From now on a new pod is under the policies that select it, so many seconds after its network is there. `null`: under none, as in a
   * cluster whose network plugin ignores them. At first it is so.
   */
  applyPolicies(afterSeconds: number | null): void;
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

/**
 * `addImages` writes archives of further images, named `*.tar`, to the directory. The cluster of a person gets none. `kubeletDisk`: size
 * of a file system for the node agent alone, such as `64M`, which a test can fill.
 */
export async function startKubernetes(
  addImages: (directory: string) => Promise<void> = async () => undefined,
  { kubeletDisk = '' }: { readonly kubeletDisk?: string } = {},
): Promise<Cluster> {
  const given = process.env['CAISSON_TEST_KUBECONFIG'];
  if (given) return clusterOf({ kubeconfig: given, pid: 0, directory: '', stop: async () => undefined });
  const directory = mkdtempSync(join(tmpdir(), 'caisson-kubernetes-'));
  await makeImages(join(directory, 'images'));
  await addImages(join(directory, 'images'));
  const link = freeLink();
  const script = fileURLToPath(new URL('kubernetes/keeper.sh', import.meta.url));
  const args = [script, kubernetesPrograms(), directory, basename(directory), link.peer, kubeletDisk];
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
    return clusterOf({ kubeconfig: join(directory, 'admin.kubeconfig'), pid, directory, stop });
  } catch (error) {
    const said = tail(join(directory, 'cluster.log'));
    await stop();
    rmSync(directory, { recursive: true, force: true });
    throw new Error(`the test cluster does not start: ${said}`, { cause: error });
  }
}

function clusterOf(started: Pick<Cluster, 'kubeconfig' | 'pid' | 'directory' | 'stop'>): Cluster {
  const { kubeconfig, pid, directory } = started;
  const own = join(kubernetesPrograms(), 'bin/kubectl');
  const kubectl: Cluster['kubectl'] = async (args, input = '') => {
    const program = existsSync(own) ? own : 'kubectl';
    const running = run(program, ['--kubeconfig', kubeconfig, ...args], { maxBuffer: 2 ** 26 });
    running.child.stdin?.end(input);
    return (await running).stdout.trim();
  };
  const selector = 'app.kubernetes.io/managed-by=caisson';
  return {
    ...started,
    kubectl,
    sandboxes: async () =>
      (await kubectl(['get', 'pods,persistentvolumeclaims', '-l', selector, '-o', 'name'])).split('\n').filter(Boolean),
    applyPolicies: (afterSeconds) => {
      const file = join(directory, 'policies');
      if (afterSeconds === null) rmSync(file, { force: true });
      else writeFileSync(file, String(afterSeconds));
    },
    signal: async (program, name) => {
      const script = 'kill -s "$1" "$(cat "$2")"';
      const file = join(directory, `run/${program}.pid`);
      // Its child is the first process of the namespace.
      const namespaces = [`--pid=/proc/${pid}/ns/pid_for_children`, `--mount=/proc/${pid}/ns/mnt`];
      await run('nsenter', [...namespaces, 'sh', '-c', script, 'sh', name, file]);
    },
  };
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
