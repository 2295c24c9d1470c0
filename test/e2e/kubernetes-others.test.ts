/**
 * A real cluster in which others act too: they inject, take names, forget what was, and cut connections. `CAISSON_LOAD_KUBERNETES_FAULTS`
 * sets how many connections break.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAccess } from '../../backends/kubernetes/access.ts';
import { Api } from '../../backends/kubernetes/api.ts';
import { Namespace } from '../../backends/kubernetes/namespace.ts';
import { settingsOf } from '../../backends/kubernetes/settings.ts';
import { PodWatch } from '../../backends/kubernetes/watch.ts';
import type { Caisson } from '../../src/service/caisson.ts';
import { type Cluster, kubernetesImage, startKubernetes, whyNoKubernetes } from '../engines/kubernetes.ts';
import { faultyProxy } from '../fixtures/faulty-proxy.ts';
import { breakOff, freePort } from './break-off.ts';
import { type Home, makeHome } from './home.ts';

/** The API server of a person's cluster does not reach this host. */
const why = process.env['CAISSON_TEST_KUBECONFIG'] ? 'the cluster is not ours' : whyNoKubernetes();
const patience = { timeout: 180_000 };
const faults = Number(process.env['CAISSON_LOAD_KUBERNETES_FAULTS'] ?? 40);
/** So many services break at once, each on its own way to the cluster: one that has lost a command asks for seconds what became of it. */
const services = 4;

let cluster: Cluster;
let home: Home;
let caisson: Caisson;

const flags = (kubeconfig: string): Readonly<Record<string, unknown>> => ({
  'terminal.backend': 'kubernetes',
  'terminal.kubernetes_image': kubernetesImage,
  'terminal.kubernetes_kubeconfig': kubeconfig,
  'terminal.kubernetes_policy_canary': false,
  'terminal.container_memory': 128,
});

const shell = (text: string): readonly [string, ...string[]] => ['sh', '-c', text];
const apply = async (object: object): Promise<string> =>
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(object));
const uidOf = async (...named: readonly string[]): Promise<string> =>
  await cluster.kubectl(['get', ...named, '-o', 'jsonpath={.metadata.uid}']);

/** The address of this host on the link to the cluster: its end is the next one. */
function hostAddress(): string {
  const { hostname } = new URL(serverOf(readFileSync(cluster.kubeconfig, 'utf8')));
  const parts = hostname.split('.').map(Number);
  return [...parts.slice(0, 3), (parts[3] ?? 0) - 1].join('.');
}

const serverOf = (kubeconfig: string): string => /server: "(\S+)"/.exec(kubeconfig)?.[1] ?? '';

interface Injecting extends AsyncDisposable {
  /** Pods so far. */
  readonly seen: () => number;
}

/** Adds a container to each pod, as a mesh does. */
async function injectSidecar(): Promise<Injecting> {
  const directory = mkdtempSync(join(tmpdir(), 'caisson-webhook-'));
  const [key, crt] = [join(directory, 'key'), join(directory, 'crt')];
  const names = ['-subj', '/CN=webhook', '-addext', `subjectAltName=IP:${hostAddress()}`, '-days', '2', '-nodes'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...names, '-keyout', key, '-out', crt], { stdio: 'ignore' });
  let seen = 0;
  const container = { name: 'mesh', image: kubernetesImage, command: ['sleep', '600'] };
  const patch = [{ op: 'add', path: '/spec/containers/-', value: container }];
  const server = createServer({ key: readFileSync(key), cert: readFileSync(crt) }, (request, response) => {
    void json(request).then((review) => {
      seen += 1;
      const { uid } = Object(review).request;
      const patched = { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
      const answer = { uid, allowed: true, ...patched };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }));
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, hostAddress(), resolve));
  await apply({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'mesh' },
    webhooks: [
      {
        name: 'mesh.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        clientConfig: { url: `https://${hostAddress()}:${port}/`, caBundle: readFileSync(crt).toString('base64') },
      },
    ],
  });
  return {
    seen: () => seen,
    [Symbol.asyncDispose]: async () => {
      await cluster.kubectl(['delete', 'mutatingwebhookconfiguration', 'mesh']);
      server.closeAllConnections();
      server.close();
      rmSync(directory, { recursive: true });
    },
  };
}

/** Tells a version of long ago with its first list. */
class ForgottenNamespace extends Namespace {
  readonly versions: string[] = [];

  override async listAt(...asking: Parameters<Namespace['listAt']>): ReturnType<Namespace['listAt']> {
    const listing = await super.listAt(...asking);
    const version = this.versions.length === 0 ? '1' : listing.version;
    this.versions.push(version);
    return { ...listing, version };
  }
}

describe.skipIf(why !== null)(`a cluster with others in it${why === null ? '' : ` (${why})`}`, () => {
  beforeAll(async () => {
    cluster = await startKubernetes();
    home = await makeHome();
    caisson = await home.open(flags(cluster.kubeconfig));
  }, 300_000);
  afterAll(async () => {
    await home?.[Symbol.asyncDispose]();
    await cluster?.stop();
  }, 60_000);

  it('refuses a pod into which a container was injected, by its name, and leaves nothing', patience, async () => {
    await using injecting = await injectSidecar();
    // The webhook is heard of a moment after it is there.
    await expect
      .poll(async () => await caisson.run({ command: ['true'] }).catch((error: unknown) => error), { timeout: 30_000 })
      .toMatchObject({ code: 'not_supported', message: expect.stringContaining('spec.containers[1] (mesh)') });
    expect(injecting.seen()).toBeGreaterThan(0);
    await expect.poll(() => cluster.sandboxes(), { timeout: 60_000 }).toEqual([]);
  });

  it('loses a command to a namesake of its pod, and leaves the namesake alone', patience, async () => {
    const taskId = `namesake-${Math.random().toString(36).slice(2)}`;
    const running = caisson.run({ taskId, command: shell('echo once >>runs; sleep 120') });
    await expect.poll(() => runsOf(taskId), { timeout: 30_000 }).toBe('once\n');
    const [pod = ''] = await cluster.sandboxes();
    const name = pod.replace('pod/', '');
    await cluster.kubectl(['delete', 'pod', name]);
    const imagePullPolicy = 'IfNotPresent';
    const containers = [{ name: 'main', image: kubernetesImage, imagePullPolicy, command: ['sleep', '600'] }];
    await apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers } });
    const uid = await uidOf('pod', name);
    const { exit } = await running;
    expect([exit.reason, exit.exitCode, exit.notes.join()]).toEqual([
      'lost',
      null,
      expect.stringContaining('the pod is gone'),
    ]);
    await cluster.kubectl(['wait', '--for=condition=Ready', `pod/${name}`, '--timeout=60s']);
    const again = caisson.run({ taskId, command: shell('touch /began'), cwd: '/' });
    await expect(again).rejects.toMatchObject({ code: 'conflict' });
    await caisson.sandboxes.remove(taskId);
    expect(await uidOf('pod', name)).toBe(uid);
    expect(await cluster.kubectl(['exec', name, '--', 'ls', '/'])).not.toContain('began');
    await cluster.kubectl(['delete', 'pod', name, '--force', '--grace-period=0']);
    expect(await cluster.sandboxes()).toEqual([]);
  });

  it('is listed again when it has forgotten the version from which it is watched', patience, async () => {
    // A server that was started again knows of no change before its start.
    await cluster.signal('apiserver', 'KILL');
    const isThere = async (): Promise<string> => await cluster.kubectl(['get', '--raw', '/readyz']).catch(() => 'gone');
    await expect.poll(isThere, { timeout: 60_000, interval: 300 }).toBe('ok');
    const options = { env: { ...process.env, KUBECONFIG: cluster.kubeconfig }, instance: 'i' };
    const api = new Api(await openAccess(options, settingsOf({})));
    const namespace = new ForgottenNamespace(api);
    const reported: string[] = [];
    const onPod = ({ metadata }: { readonly metadata?: { readonly name?: string } }): void =>
      void reported.push(metadata?.name ?? '');
    const watch = new PodWatch(namespace, 'watched=yes', { onPod, onList: () => undefined });
    try {
      await expect.poll(() => namespace.versions.length, { timeout: 30_000 }).toBe(2);
      const containers = [{ name: 'main', image: kubernetesImage }];
      const metadata = { name: 'watched', labels: { watched: 'yes' } };
      await apply({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } });
      await expect.poll(() => reported, { timeout: 30_000 }).toContain('watched');
      expect(namespace.versions).toHaveLength(2);
    } finally {
      watch.close();
      api.close();
      await cluster.kubectl(['delete', 'pod', 'watched', '--ignore-not-found', '--force', '--grace-period=0']);
    }
  });

  it('says of output that is broken off that it is, and runs each command once', { timeout: 14_400_000 }, async () => {
    const text = await readFile(cluster.kubeconfig, 'utf8');
    const { hostname: host, port } = new URL(serverOf(text));
    await Promise.all(
      Array.from({ length: services }, async (_, index) => {
        const own = await freePort();
        const upstream = { host, port: Number(port) };
        await using proxy = await faultyProxy({
          listen: { port: own, host: '127.0.0.1' },
          upstream,
          matches: () => true,
        });
        const path = join(home.path, `broken-${index}.kubeconfig`);
        await writeFile(path, text.replace(serverOf(text), `https://127.0.0.1:${own}`), { mode: 0o600 });
        await using other = await makeHome();
        const service = await other.open(flags(path));
        const taskId = `faults-${index}`;
        await service.sandboxes.create({ taskId });
        const kinds = ['close', 'half-close', 'reset'] as const;
        await breakOff(service, proxy, { taskId, runs: 'runs', times: faults / services, kinds });
      }),
    );
    expect(await cluster.sandboxes()).toEqual([]);
  });
});

const runsOf = async (taskId: string): Promise<string> =>
  (await caisson.run({ taskId, command: ['cat', 'runs'] })).stdout.text;
