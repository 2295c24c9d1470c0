/** A real node that runs out of disk or memory, in a cluster of its own: what it evicts is lost by name, and files on a claim are kept. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Caisson } from '../../src/service/caisson.ts';
import { type Cluster, kubernetesImage, startKubernetes, whyNoKubernetes } from '../engines/kubernetes.ts';
import { type Home, makeHome } from './home.ts';

/** The node of a person is left alone. */
const why = process.env['CAISSON_TEST_KUBECONFIG'] ? 'the cluster is not ours' : whyNoKubernetes();
const patience = { timeout: 300_000 };

let cluster: Cluster;
let home: Home;
let caisson: Caisson;

const shell = (text: string): readonly [string, ...string[]] => ['sh', '-c', text];

const runsOf = async (taskId: string): Promise<string> =>
  (await caisson.run({ taskId, command: ['cat', 'runs'] })).stdout.text;

/** A command that says once that it has begun, and waits for the node to end it. */
function waiting(taskId: string) {
  return caisson.run({ taskId, command: shell('echo once >>runs; sleep 150; echo twice >>runs') });
}

/** Lanes are lost with the kubelet that carried them. */
const worksIn = async (taskId: string): Promise<boolean> =>
  await caisson.run({ taskId, command: ['true'] }).then(
    ({ exit }) => exit.exitCode === 0,
    () => false,
  );

/** What keeps the cluster from putting pods on the node, by what the kubelet said last. */
const pressure = async (): Promise<string> =>
  await cluster.kubectl(['get', 'node', 'node1', '-o', 'jsonpath={.spec.taints[*].key}']);

const isOver = async (): Promise<void> => await expect.poll(pressure, { timeout: 60_000 }).toBe('');

const kubelet = (name: string): string => join(`/proc/${cluster.pid}/root`, cluster.directory, name);

/** Commands that run go on; the connections to them break. */
async function restartKubelet(config: string): Promise<void> {
  await writeFile(kubelet('kubelet.yaml'), config);
  await cluster.signal('kubelet', 'KILL');
}

/** A soft limit: what a hard one keeps free is also taken from what the node gives to pods. */
const neverEnough = `
evictionSoft: {memory.available: 1Ti}
evictionSoftGracePeriod: {memory.available: 30s}
`;

describe.skipIf(why !== null)(`a node that runs out${why === null ? '' : ` (${why})`}`, () => {
  beforeAll(async () => {
    cluster = await startKubernetes(undefined, { kubeletDisk: '64M' });
    home = await makeHome();
    caisson = await home.open({
      'terminal.backend': 'kubernetes',
      'terminal.kubernetes_image': kubernetesImage,
      'terminal.kubernetes_kubeconfig': cluster.kubeconfig,
      'terminal.container_memory': 128,
    });
  }, 300_000);
  afterAll(async () => {
    await home?.[Symbol.asyncDispose]();
    await cluster?.stop();
  }, 60_000);

  it('of disk evicts the pod that fills it, by name, and no other', patience, async () => {
    const beside = caisson.run({ taskId: 'beside', command: shell('echo once >>runs; sleep 30; cat runs') });
    await expect.poll(async () => await runsOf('beside'), { timeout: 30_000 }).toBe('once\n');
    const { exit, stdout } = await caisson.run({
      command: shell('echo begun; dd if=/dev/zero of=full bs=1M; sleep 150; echo ended'),
    });
    expect(exit).toMatchObject({ reason: 'lost', exitCode: null });
    expect(exit.notes.join()).toContain('the node evicted it: The node was low on resource: ephemeral-storage');
    expect(stdout.text).toBe('begun\n');
    expect(await beside).toMatchObject({ exit: { reason: 'exited', exitCode: 0 }, stdout: { text: 'once\n' } });
    await caisson.sandboxes.remove('beside');
    await isOver();
  });

  describe('of disk by what others write', () => {
    afterEach(() => rm(kubelet('kubelet/full'), { force: true }));

    it('keeps the files of a task, and runs its next command when there is room', patience, async () => {
      const running = waiting('disk');
      await expect.poll(async () => await runsOf('disk'), { timeout: 30_000 }).toBe('once\n');
      await writeFile(kubelet('kubelet/full'), Buffer.alloc(64 * 2 ** 20)).catch(() => undefined);
      const { exit } = await running;
      expect(exit).toMatchObject({ reason: 'lost', exitCode: null });
      expect(exit.notes.join()).toContain('the node evicted it: The node was low on resource: ephemeral-storage');
      await rm(kubelet('kubelet/full'));
      expect(await runsOf('disk')).toBe('once\n');
      await caisson.sandboxes.remove('disk');
    });
  });

  it('of memory keeps the files of a task, and runs its next command when there is some', patience, async () => {
    const config = await readFile(kubelet('kubelet.yaml'), 'utf8');
    await caisson.sandboxes.create({ taskId: 'memory' });
    await restartKubelet(`${config}${neverEnough}`);
    await expect.poll(async () => await worksIn('memory'), { timeout: 60_000 }).toBe(true);
    const { exit } = await waiting('memory');
    expect(exit).toMatchObject({ reason: 'lost', exitCode: null });
    expect(exit.notes.join()).toContain('the node evicted it: The node was low on resource: memory');
    await restartKubelet(config);
    expect(await runsOf('memory')).toBe('once\n');
    await caisson.sandboxes.remove('memory');
  });

  it('leaves nothing', patience, async () => {
    await caisson.sandboxes.gc({ dryRun: false });
    expect(await caisson.sandboxes.gc({ dryRun: true })).toEqual([]);
    expect(await cluster.sandboxes()).toEqual([]);
  });
});
