/**
 * Canaries of network policies on a real cluster: first its network plugin ignores them, then it applies them. A trial proves what
 * sandboxes really find.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Check } from '../../src/backend.ts';
import type { Caisson } from '../../src/service/caisson.ts';
import { type Cluster, kubernetesImage, startKubernetes, whyNoKubernetes } from '../engines/kubernetes.ts';
import { cli, type Home, makeHome } from './home.ts';

const why = process.env['CAISSON_TEST_KUBECONFIG'] ? 'the network of the cluster is not ours' : whyNoKubernetes();
const patience = { timeout: 300_000 };
const port = 7070;

let cluster: Cluster;
/** Its process is killed in the middle of its trial. */
let crashed: Home;

const flags = (): Readonly<Record<string, unknown>> => ({
  'terminal.backend': 'kubernetes',
  'terminal.kubernetes_image': kubernetesImage,
  'terminal.kubernetes_kubeconfig': cluster.kubeconfig,
  'terminal.container_memory': 64,
});

const shell = (text: string): readonly [string, ...string[]] => ['sh', '-c', text];
const canaries = async (...more: readonly string[]): Promise<readonly string[]> =>
  (await cluster.kubectl(['get', 'pods', '-l', 'caisson.dev/canary', '-o', 'name', ...more]))
    .split('\n')
    .filter(Boolean);

async function checked(caisson: Caisson): Promise<Check> {
  const [found] = await caisson.backends.check(['kubernetes'], { tried: ['kubernetes'] });
  if (found === undefined) throw new Error('the backend was not looked at');
  return found.check;
}

/** Controls that the sandbox of a task does without, with the reasons. */
async function degradedOf(caisson: Caisson, taskId: string): Promise<Readonly<Record<string, string>>> {
  await caisson.run({ taskId, command: ['true'] });
  const { degraded } = await caisson.sandboxes.get(taskId);
  return Object.fromEntries(degraded.map(({ control, reason }) => [control, reason]));
}

const addressOf = async (taskId: string): Promise<string> =>
  await cluster.kubectl(['get', 'pods', '-l', `caisson.dev/task=${taskId}`, '-o', 'jsonpath={.items[0].status.podIP}']);

/** What one sandbox reads from a listener in another one. */
async function reads(caisson: Caisson, from: string, to: string): Promise<string> {
  const serve = shell(`while :; do echo reached | nc -l -p ${port}; done >/dev/null 2>&1 & sleep 0.5`);
  await caisson.run({ taskId: to, command: serve });
  const read = shell(`nc -w 3 ${await addressOf(to)} ${port} </dev/null 2>/dev/null`);
  return (await caisson.run({ taskId: from, command: read })).stdout.text;
}

/** Address of a pod that Caisson has not made, and that no policy selects; it listens too. */
async function strangerAt(): Promise<string> {
  const text = `while :; do echo reached | nc -l -p ${port}; done`;
  const command = ['sh', '-c', text];
  const container = { name: 'main', image: kubernetesImage, imagePullPolicy: 'IfNotPresent', command };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'stranger' }, spec: { containers: [container] } };
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(pod));
  await cluster.kubectl(['wait', '--for=condition=Ready', 'pod/stranger', '--timeout=60s']);
  return await cluster.kubectl(['get', 'pod', 'stranger', '-o', 'jsonpath={.status.podIP}']);
}

/** The command line, killed as soon as its canaries are there. */
async function crash(home: Home): Promise<void> {
  const env = {
    ...home.env,
    CAISSON_TERMINAL_BACKEND: 'kubernetes',
    CAISSON_TERMINAL_KUBERNETES_IMAGE: kubernetesImage,
    CAISSON_TERMINAL_KUBERNETES_KUBECONFIG: cluster.kubeconfig,
  };
  const running = spawn(process.execPath, [cli, 'run', '--', 'true'], { env, cwd: home.path, stdio: 'ignore' });
  await vi.waitFor(async () => expect(await canaries()).toHaveLength(3), { timeout: 60_000, interval: 100 });
  const ended = once(running, 'exit');
  running.kill('SIGKILL');
  await ended;
}

describe.skipIf(why !== null)(`network policies of a cluster${why === null ? '' : ` (${why})`}`, () => {
  beforeAll(async () => {
    cluster = await startKubernetes();
    crashed = await makeHome();
    await crash(crashed);
  }, 300_000);
  afterAll(async () => {
    await crashed?.[Symbol.asyncDispose]();
    await cluster?.stop();
  }, 60_000);

  it('leaves the canaries of a trial that may still run alone', patience, async () => {
    const caisson = await crashed.open(flags());
    expect(await caisson.sandboxes.gc({ dryRun: false })).toEqual([]);
    expect(await canaries()).toHaveLength(3);
    await caisson.close();
  });

  describe('which its network plugin ignores', () => {
    let home: Home;
    let caisson: Caisson;

    beforeAll(async () => {
      home = await makeHome();
      caisson = await home.open(flags());
    });
    afterAll(() => home[Symbol.asyncDispose]());

    it('are a promise that is not given, with the reason', patience, async () => {
      const degraded = await degradedOf(caisson, 'one');
      expect(Object.keys(degraded).toSorted()).toEqual(['diskBytes', 'open_private', 'pids']);
      expect(degraded['open_private']).toMatch(/does not apply network policies: .*\(inbound\) and .*\(outbound\)/);
    });

    it('are named by the doctor', patience, async () => {
      const { findings, facts } = await checked(caisson);
      const message = expect.stringContaining('does not apply network policies');
      expect(findings).toContainEqual(expect.objectContaining({ id: 'policy-unproved', message }));
      expect(facts['policiesProved']).toBeNull();
    });

    it('really keep no sandbox from another one', patience, async () => {
      await caisson.run({ taskId: 'two', command: ['true'] });
      expect(await reads(caisson, 'one', 'two')).toBe('reached\n');
      await Promise.all(['one', 'two'].map((taskId) => caisson.sandboxes.remove(taskId)));
    });

    it('are not tried where the key is off', patience, async () => {
      await using other = await makeHome();
      const off = await other.open({ ...flags(), 'terminal.kubernetes_policy_canary': false });
      const before = await canaries();
      const { findings } = await checked(off);
      const message = expect.stringContaining('terminal.kubernetes_policy_canary is false');
      expect(findings).toContainEqual(expect.objectContaining({ id: 'policy-unproved', message }));
      expect(await canaries()).toEqual(before);
    });

    it('prove nothing where a quota takes no canary', patience, async () => {
      const quota = {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'few' },
        spec: { hard: { pods: '1' } },
      };
      await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(quota));
      const { findings } = await checked(caisson);
      await cluster.kubectl(['delete', 'resourcequota', 'few']);
      const message = expect.stringMatching(/nothing has shown .*: .*exceeded quota/);
      expect(findings).toContainEqual(expect.objectContaining({ id: 'policy-unproved', message }));
    });
  });

  describe.each([0, 4])('which are applied %d s after a pod has its network', (seconds) => {
    let home: Home;
    let caisson: Caisson;

    beforeAll(async () => {
      cluster.applyPolicies(seconds);
      home = await makeHome();
      caisson = await home.open(flags());
    });
    afterAll(async () => {
      cluster.applyPolicies(null);
      await home[Symbol.asyncDispose]();
    });

    it('are proved, and nothing of the network is degraded', patience, async () => {
      expect(Object.keys(await degradedOf(caisson, 'one')).toSorted()).toEqual(['diskBytes', 'pids']);
      const { findings, facts } = await checked(caisson);
      expect(findings.map(({ id }) => id)).not.toContain('policy-unproved');
      expect(Date.now() - Date.parse(String(facts['policiesProved']))).toBeLessThan(60_000);
    });

    it('really keep a sandbox from others, in both directions', patience, async () => {
      const stranger = await strangerAt();
      await caisson.run({ taskId: 'two', command: ['sleep', String(seconds)] });
      expect(await reads(caisson, 'one', 'two')).toBe('');
      expect(await reads(caisson, 'two', 'two')).toBe('reached\n');
      const read = (address: string): string => `nc -w 3 ${address} ${port} </dev/null 2>/dev/null || true`;
      const out = await caisson.run({ taskId: 'one', command: shell(read(stranger)) });
      expect(out.stdout.text).toBe('');
      const exec = ['exec', 'stranger', '--', 'sh', '-c'];
      expect(await cluster.kubectl([...exec, read(stranger)])).toBe('reached');
      expect(await cluster.kubectl([...exec, read(await addressOf('two'))])).toBe('');
      await cluster.kubectl(['delete', 'pod', 'stranger', '--force', '--grace-period=0']);
      await Promise.all(['one', 'two'].map((taskId) => caisson.sandboxes.remove(taskId)));
    });

    it('are believed by the next process, which makes no trial', patience, async () => {
      cluster.applyPolicies(null);
      const next = await home.open(flags());
      expect(Object.keys(await degradedOf(next, 'next'))).not.toContain('open_private');
      await next.sandboxes.remove('next');
    });
  });

  it('are not believed any more when the doctor finds that they are ignored', patience, async () => {
    await using home = await makeHome();
    cluster.applyPolicies(0);
    const caisson = await home.open(flags());
    expect((await checked(caisson)).facts['policiesProved']).not.toBeNull();
    cluster.applyPolicies(null);
    expect((await checked(caisson)).facts['policiesProved']).toBeNull();
    const next = await home.open(flags());
    expect(Object.keys(await degradedOf(next, 'next'))).toContain('open_private');
    await next.sandboxes.remove('next');
  });

  it('are tried by no pod any more when the service is closed meanwhile', patience, async () => {
    await using home = await makeHome();
    const before = await canaries();
    const caisson = await home.open(flags());
    const running = caisson.run({ command: ['true'] }).catch((error: unknown) => error);
    await expect.poll(canaries, { timeout: 60_000, interval: 100 }).toHaveLength(before.length + 3);
    await caisson.close();
    await running;
    expect(await canaries()).toEqual(before);
  });

  it('have canaries of a killed process removed by gc, as soon as their time is over', patience, async () => {
    const caisson = await crashed.open(flags());
    const found = async (): Promise<unknown> => await caisson.sandboxes.gc({ dryRun: true });
    const canary = expect.objectContaining({ kind: 'resource', why: expect.stringContaining('a canary pod') });
    await expect.poll(found, { timeout: 240_000, interval: 2000 }).toEqual([canary, canary, canary]);
    await caisson.sandboxes.gc({ dryRun: false });
    expect(await caisson.sandboxes.gc({ dryRun: true })).toEqual([]);
  });

  it('leave nothing', patience, async () => {
    expect(await cluster.sandboxes()).toEqual([]);
  });
});
