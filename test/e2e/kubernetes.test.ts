/** A real cluster in which something goes wrong: each fault is named by the error or the exit, and no command runs twice. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Caisson } from '../../src/service/caisson.ts';
import type { BackendCheck } from '../../src/service/api.ts';
import type { CaissonError } from '../../src/errors.ts';
import { type Cluster, kubernetesImage, startKubernetes, whyNoKubernetes } from '../engines/kubernetes.ts';
import { kubernetesPrograms } from '../engines/kubernetes/programs.ts';
import { type Home, makeHome } from './home.ts';
import { pageOf, typedIn } from './typed.ts';

const why = whyNoKubernetes();
/** The parts of a cluster that a person provides are left alone. */
const isOwn = !process.env['CAISSON_TEST_KUBECONFIG'];
const patience = { timeout: 180_000 };
const checkout = fileURLToPath(new URL('../../', import.meta.url));

let cluster: Cluster;
let home: Home;
let caisson: Caisson;

const flags = (more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({
  'terminal.backend': 'kubernetes',
  'terminal.kubernetes_image': kubernetesImage,
  'terminal.kubernetes_kubeconfig': cluster.kubeconfig,
  'terminal.kubernetes_policy_canary': false,
  'terminal.container_memory': 256,
  ...more,
});

/** A service of its own with other settings. */
async function withSettings<T>(
  more: Readonly<Record<string, unknown>>,
  work: (own: Caisson) => Promise<T>,
): Promise<T> {
  await using other = await makeHome();
  return await work(await other.open(flags(more)));
}

const refused = async (work: Promise<unknown>): Promise<CaissonError> =>
  await work.then(
    () => {
      throw new Error('it was not refused');
    },
    (error: CaissonError) => error,
  );

/** Findings about a cluster whose network plugin knows no policies, and a service without an image for `none`. */
const known = ['no-init-image', 'policy-unproved'];
const only = async (own: Caisson): Promise<readonly [BackendCheck]> => {
  const [checked] = await own.backends.check(['kubernetes']);
  if (checked === undefined) throw new Error('the backend was not looked at');
  return [checked];
};

/** The kubeconfig of an account that may list what there is, so that a service sees that nothing stays, and nothing else. */
async function accountThatLists(): Promise<string> {
  const annotations = { 'kubernetes.io/service-account.name': 'weak' };
  const secret = { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/service-account-token' };
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'weak' } };
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(account));
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ ...secret, metadata: { name: 'weak', annotations } }));
  await cluster.kubectl(['create', 'role', 'weak', '--verb=list', '--resource=pods,persistentvolumeclaims']);
  await cluster.kubectl(['create', 'rolebinding', 'weak', '--role=weak', '--serviceaccount=default:weak']);
  const token = async (): Promise<string> =>
    await cluster.kubectl(['get', 'secret', 'weak', '-o', 'jsonpath={.data.token}']);
  await expect.poll(token, { timeout: 30_000 }).not.toBe('');
  const config = Object(JSON.parse(await cluster.kubectl(['config', 'view', '--raw', '--minify', '-o', 'json'])));
  config.users[0].user = { token: Buffer.from(await token(), 'base64').toString() };
  const path = join(home.path, 'weak.kubeconfig');
  await writeFile(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}

const shell = (text: string): readonly [string, ...string[]] => ['sh', '-c', text];

describe.skipIf(why !== null)(`sandboxes of a cluster${why === null ? '' : ` (${why})`}`, () => {
  beforeAll(async () => {
    cluster = await startKubernetes();
    home = await makeHome();
    caisson = await home.open(flags());
  }, 300_000);
  afterAll(async () => {
    await home?.[Symbol.asyncDispose]();
    await cluster?.stop();
  }, 60_000);

  it('would take a pod, by a trial that stores nothing', patience, async () => {
    const [{ check }] = await only(caisson);
    expect(check.status).toBe('ready');
    expect(check.findings.map(({ id }) => id).filter((id) => !known.includes(id))).toEqual([]);
    expect(await cluster.sandboxes()).toEqual([]);
  });

  it('names each right that an account lacks', patience, async () => {
    const kubeconfig = await accountThatLists();
    await withSettings({ 'terminal.kubernetes_kubeconfig': kubeconfig }, async (own) => {
      const [{ check }] = await only(own);
      expect(check).toMatchObject({ status: 'unhealthy' });
      const ids = check.findings.map(({ id }) => id);
      for (const right of ['create-pods', 'get-pods-exec', 'create-persistentvolumeclaims', 'create-networkpolicies'])
        expect(ids).toContain(`missing-right-${right}`);
      expect(ids).not.toContain('missing-right-list-pods');
      expect(await refused(own.run({ command: ['true'] }))).toMatchObject({ code: 'permission_denied' });
    });
  });

  it('names a node selector that no node has, and leaves nothing', patience, async () => {
    const settings = {
      'terminal.kubernetes_node_selector': { nowhere: 'yes' },
      'terminal.kubernetes_pending_seconds': 5,
    };
    const error = await withSettings(settings, async (own) => await refused(own.run({ command: ['true'] })));
    expect(error).toMatchObject({ code: 'resource_exhausted', message: expect.stringContaining('Unschedulable') });
    expect(await cluster.sandboxes()).toEqual([]);
  });

  it('names an image that cannot be pulled, and leaves nothing', patience, async () => {
    const settings = {
      'terminal.kubernetes_image': 'caisson-test/absent:1',
      'terminal.kubernetes_pending_seconds': 20,
    };
    const error = await withSettings(settings, async (own) => await refused(own.run({ command: ['true'] })));
    expect(error).toMatchObject({ code: 'not_found', message: expect.stringMatching(/ErrImagePull|ImagePullBackOff/) });
    expect(await cluster.sandboxes()).toEqual([]);
  });

  it('tells a quota that is used up from a missing right', patience, async () => {
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'none' },
      spec: { hard: { pods: '0' } },
    };
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(quota));
    try {
      const error = await refused(caisson.run({ command: ['true'] }));
      expect(error).toMatchObject({ code: 'resource_exhausted', message: expect.stringContaining('exceeded quota') });
    } finally {
      await cluster.kubectl(['delete', 'resourcequota', 'none']);
    }
    expect(await cluster.sandboxes()).toEqual([]);
  });

  it('says that a command was killed for memory, and goes on in the same pod', patience, async () => {
    const eaten = await caisson.run({
      taskId: 'memory',
      command: shell('echo once >>runs; dd if=/dev/zero of=/dev/null bs=600M count=1'),
    });
    expect(eaten.exit.notes.join()).toContain('memory');
    const after = await caisson.run({ taskId: 'memory', command: shell('cat runs') });
    expect(after).toMatchObject({ exit: { exitCode: 0 }, stdout: { text: 'once\n' } });
    await caisson.sandboxes.remove('memory');
  });

  it('says that the first process was killed for memory', patience, async () => {
    // Files in memory count, and belong to no process: the kernel takes the one that offers itself.
    const text = 'echo 1000 >/proc/1/oom_score_adj; dd if=/dev/zero of=/tmp/full bs=1M count=600; sleep 60';
    const { exit } = await caisson.run({ command: shell(text) });
    expect(exit).toMatchObject({ reason: 'lost', exitCode: null });
    expect(exit.notes.join()).toContain('for memory (OOMKilled)');
  });

  it('says that the node evicted a pod that wrote more than its volume may hold', patience, async () => {
    const text = 'echo begun; dd if=/dev/zero of=/run/full bs=1M count=100; sleep 120';
    const { exit, stdout } = await caisson.run({ command: shell(text) });
    expect(exit).toMatchObject({ reason: 'lost', exitCode: null });
    expect(exit.notes.join()).toContain('the node evicted it');
    expect(stdout.text).toBe('begun\n');
  });

  it('says that a pod was deleted under its command', patience, async () => {
    const running = caisson.run({ taskId: 'deleted', command: shell('echo once >>runs; sleep 120') });
    await expect.poll(async () => await runsOf('deleted'), { timeout: 30_000 }).toBe('once\n');
    await cluster.kubectl(['delete', 'pods', '-l', 'caisson.dev/task=deleted', '--wait=false']);
    const { exit } = await running;
    expect(exit).toMatchObject({ reason: 'lost', exitCode: null });
    expect(exit.notes.join()).toMatch(/the pod is gone|it is being deleted/);
    await expect.poll(async () => await runsOf('deleted').catch(() => ''), { timeout: 60_000 }).toBe('once\n');
    await caisson.sandboxes.remove('deleted');
  });

  describe.skipIf(!isOwn).each(['apiserver', 'kubelet'] as const)('a %s that is killed', (program) => {
    it('loses no sandbox, and runs no command twice', patience, async () => {
      const taskId = `killed-${program}`;
      const running = caisson.run({ taskId, command: shell('echo once >>runs; sleep 5; echo done') });
      await expect.poll(async () => await runsOf(taskId), { timeout: 30_000 }).toBe('once\n');
      await cluster.signal(program, 'KILL');
      const { exit } = await running;
      expect([exit.reason, exit.exitCode]).toEqual(exit.reason === 'exited' ? ['exited', 0] : ['lost', null]);
      await expect.poll(async () => await runsOf(taskId).catch(() => ''), { timeout: 90_000 }).toBe('once\n');
      await caisson.sandboxes.remove(taskId);
    });
  });

  it.skipIf(!isOwn)('waits for the rest of a command whose node hangs for a time', patience, async () => {
    const taskId = 'hangs';
    const running = caisson.run({ taskId, command: shell('echo once >>runs; sleep 3; echo done') });
    await expect.poll(async () => await runsOf(taskId), { timeout: 30_000 }).toBe('once\n');
    await cluster.signal('kubelet', 'STOP');
    await new Promise((resolve) => setTimeout(resolve, 8000));
    await cluster.signal('kubelet', 'CONT');
    expect(await running).toMatchObject({ exit: { reason: 'exited', exitCode: 0 }, stdout: { text: 'done\n' } });
    expect(await runsOf(taskId)).toBe('once\n');
    await caisson.sandboxes.remove(taskId);
  });

  describe.skipIf(!isOwn)('a node that is not heard any more', () => {
    afterEach(() => cluster.signal('kubelet', 'CONT'));

    it('fails new commands, ends none that runs, and delivers the rest when it comes back', patience, async () => {
      const taskId = 'unheard';
      const running = caisson.run({ taskId, command: shell('echo once >>runs; sleep 3; echo done') });
      await expect.poll(async () => await runsOf(taskId), { timeout: 30_000 }).toBe('once\n');
      await cluster.signal('kubelet', 'STOP');
      await isUnresponsive(taskId);
      // A service that has no lane there.
      const other = await home.open(flags());
      await refusedWith(other.run({ taskId, command: ['true'] }), 'unavailable');
      expect(await caisson.sandboxes.gc({ dryRun: true, force: taskId })).toMatchObject([{ kind: 'sandbox', taskId }]);
      await cluster.signal('kubelet', 'CONT');
      expect(await running).toMatchObject({ exit: { reason: 'exited', exitCode: 0 }, stdout: { text: 'done\n' } });
      await expect.poll(async () => await runsOf(taskId).catch(() => ''), { timeout: 60_000 }).toBe('once\n');
      await refusedWith(caisson.sandboxes.gc({ dryRun: false, force: taskId }), 'failed_precondition');
      // The cluster learns a little later than a command that the node is back.
      await expect.poll(() => resourceOf(taskId), { timeout: 60_000 }).toBe('running');
      await caisson.sandboxes.remove(taskId);
    });

    it('is given up on the word of the operator alone, and the files stay', patience, async () => {
      const taskId = 'given-up';
      await caisson.run({ taskId, command: shell('echo kept >runs') });
      // The cluster takes away a readiness that the node has reported.
      await expect.poll(() => phaseOf(taskId), { timeout: 30_000 }).toBe('Running');
      await cluster.signal('kubelet', 'STOP');
      await isUnresponsive(taskId);
      await refusedWith(caisson.sandboxes.stop(taskId), 'unavailable');
      expect(await caisson.sandboxes.gc({ dryRun: false, force: taskId })).toMatchObject([{ taskId }]);
      expect(await caisson.sandboxes.get(taskId)).toMatchObject({ state: 'stopped', resource: 'stopped' });
      const records = await Array.fromAsync(caisson.audit.tail({ count: 50 }));
      expect(records).toContainEqual(expect.objectContaining({ type: 'abandon', taskId }));
      await cluster.signal('kubelet', 'CONT');
      await expect.poll(async () => await runsOf(taskId).catch(() => ''), { timeout: 90_000 }).toBe('kept\n');
      await caisson.sandboxes.remove(taskId);
    });
  });

  it.skipIf(!isOwn)('is set up and used as docs/kubernetes.md shows', { timeout: 300_000 }, async () => {
    const { typed } = pageOf(await readFile(join(checkout, 'docs/kubernetes.md'), 'utf8'));
    await using other = await makeHome();
    const env = {
      ...other.env,
      PATH: `${join(kubernetesPrograms(), 'bin')}:${process.env['PATH']}`,
      KUBECONFIG: cluster.kubeconfig,
      CAISSON_TERMINAL_KUBERNETES_IMAGE: kubernetesImage,
      CAISSON_TERMINAL_CONTAINER_MEMORY: '256',
    };
    const manifests = { command: `ln -s '${join(checkout, 'deploy')}' deploy`, shown: '' };
    const { seen, wanted } = await typedIn({ ...other, env }, [manifests, ...typed]);
    expect(typed.length).toBeGreaterThan(5);
    expect(seen).toEqual(wanted);
  });

  it('leaves nothing', patience, async () => {
    await caisson.sandboxes.gc({ dryRun: false });
    expect(await caisson.sandboxes.gc({ dryRun: true })).toEqual([]);
    expect(await cluster.sandboxes()).toEqual([]);
  });
});

/** The node controller of the test cluster waits for 16 s. */
const isUnresponsive = async (taskId: string): Promise<void> =>
  await expect.poll(() => resourceOf(taskId), { timeout: 60_000 }).toBe('unresponsive');

const phaseOf = async (taskId: string): Promise<string> =>
  await cluster.kubectl(['get', 'pods', '-l', `caisson.dev/task=${taskId}`, '-o', 'jsonpath={.items[*].status.phase}']);

const resourceOf = async (taskId: string): Promise<string> => (await caisson.sandboxes.get(taskId)).resource;

const refusedWith = async (work: Promise<unknown>, code: string): Promise<void> =>
  expect(await refused(work)).toMatchObject({ code });

const runsOf = async (taskId: string): Promise<string> =>
  (await caisson.run({ taskId, command: ['cat', 'runs'] })).stdout.text;
