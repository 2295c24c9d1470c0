/** The manifests of deploy/kubernetes, applied to a real cluster: the service runs there, with the rights of the Role and no others. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { buildService } from '../../images/builder/service.ts';
import { makeDockerArchive } from '../engines/docker-archive.ts';
import { type Cluster, kubernetesImage, startKubernetes, whyNoKubernetes } from '../engines/kubernetes.ts';
import { packedPackage } from './packed.ts';

/** The cluster of a person has no image of the service. */
const why = process.env['CAISSON_TEST_KUBECONFIG'] ? 'the cluster is not ours' : whyNoKubernetes();
const patience = { timeout: 180_000 };
const manifest = (name: string): string =>
  readFileSync(new URL(`../../deploy/kubernetes/${name}`, import.meta.url), 'utf8');

let cluster: Cluster;

/** Does what `caisson image build service` does, from the built package, and without an engine. */
async function addServiceImage(directory: string): Promise<void> {
  await packedPackage();
  const layer = join(directory, 'service.layer');
  const importRootfs = async (reference: string, tar: NodeJS.ReadableStream, { env }: { readonly env: object }) => {
    await pipeline(tar, createWriteStream(layer));
    const Env = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    await makeDockerArchive(layer, join(directory, 'service.tar'), { tag: `docker.io/${reference}`, Env });
    return { id: '' };
  };
  await buildService({ importRootfs }, { env: process.env });
  rmSync(layer);
}

async function makeCertificate(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'caisson-tls-'));
  const [key, crt] = [join(directory, 'tls.key'), join(directory, 'tls.crt')];
  const names = ['-subj', '/CN=caisson', '-addext', 'subjectAltName=DNS:caisson.caisson.svc', '-days', '2', '-nodes'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-keyout', key, '-out', crt];
  execFileSync('openssl', ['req', '-x509', ...kind, ...names], { stdio: 'ignore' });
  await cluster.kubectl(['-n', 'caisson', 'create', 'secret', 'tls', 'caisson-tls', `--cert=${crt}`, `--key=${key}`]);
  rmSync(directory, { recursive: true });
}

/** What drivers of volumes do for `fsGroup`: the claims of this cluster are directories of the host, for which no driver does it. */
async function giveVolumesToGroup(): Promise<void> {
  const volumes = join(cluster.directory, 'volumes');
  await vi.waitFor(() => expect(readdirSync(volumes)).toHaveLength(1), { timeout: 30_000, interval: 100 });
  for (const name of readdirSync(volumes)) {
    chownSync(join(volumes, name), 0, 65_532);
    chmodSync(join(volumes, name), 0o2770);
  }
}

/** Nothing here routes addresses of Services, so that the pod has the address of the API server; its sandboxes have the image of tests. */
function serviceHere(): string {
  const server = [
    { name: 'KUBERNETES_SERVICE_HOST', value: '10.244.0.1' },
    { name: 'KUBERNETES_SERVICE_PORT', value: '6443' },
  ];
  return parseAllDocuments(manifest('service.yaml'))
    .map((each) => {
      const object = Object(each.toJS());
      if (object.kind === 'ConfigMap')
        object.data['config.yaml'] += `  kubernetes_image: ${kubernetesImage}\n  container_memory: 256\n`;
      if (object.kind === 'Deployment') object.spec.template.spec.containers[0].env.push(...server);
      return stringify(object, { aliasDuplicateObjects: false });
    })
    .join('---\n');
}

const rolledOut = async (): Promise<string> =>
  await cluster.kubectl(['-n', 'caisson', 'rollout', 'status', 'deployment', 'caisson', '--timeout=60s']);
const caisson = async (...args: readonly string[]): Promise<string> =>
  await cluster.kubectl(['-n', 'caisson', 'exec', 'deployment/caisson', '--', 'caisson', ...args]);
const may = async (verb: string, resource: string, namespace: string): Promise<string> => {
  const as = '--as=system:serviceaccount:caisson:caisson';
  return await cluster.kubectl(['auth', 'can-i', verb, resource, '-n', namespace, as]).catch(() => 'no');
};
const left = async (): Promise<string> =>
  await cluster.kubectl(['-n', 'caisson-sandboxes', 'get', 'pods,persistentvolumeclaims', '-o', 'name']);

describe.skipIf(why !== null)(`the service in a cluster${why === null ? '' : ` (${why})`}`, () => {
  beforeAll(async () => {
    cluster = await startKubernetes(addServiceImage);
    await cluster.kubectl(['apply', '-f', '-'], manifest('role.yaml'));
    await makeCertificate();
    await cluster.kubectl(['apply', '-f', '-'], serviceHere());
    await giveVolumesToGroup();
  }, 300_000);
  afterAll(() => cluster?.stop(), 60_000);

  it('becomes ready, and runs a command in a pod of the other namespace', patience, async () => {
    expect(await rolledOut()).toContain('successfully rolled out');
    expect(await caisson('run', '-q', '--task', 'build', '--', 'sh', '-c', 'echo made >note; cat note')).toBe('made');
    expect(await left()).toMatch(/^pod\/.+\npersistentvolumeclaim\/.+$/);
  });

  it('misses no right, and has none beyond the Role', patience, async () => {
    // Other backends are absent there, which is an exit code of its own.
    const said = await caisson('doctor', '-o', 'json').catch(({ stdout }: { readonly stdout: string }) => stdout);
    expect(said).toContain('caisson-sandboxes');
    expect(said).not.toContain('missing-right');
    // The rights of the Role are enough for canaries too.
    expect(said).toContain('does not apply network policies');
    expect(await may('create', 'pods/exec', 'caisson-sandboxes')).toBe('yes');
    for (const [verb, resource, namespace] of [
      ['get', 'secrets', 'caisson-sandboxes'],
      ['patch', 'pods', 'caisson-sandboxes'],
      ['create', 'serviceaccounts/token', 'caisson-sandboxes'],
      ['create', 'pods', 'caisson'],
      ['get', 'secrets', 'caisson'],
      ['get', 'nodes', 'default'],
    ] as const)
      expect([verb, resource, namespace, await may(verb, resource, namespace)]).toEqual([
        verb,
        resource,
        namespace,
        'no',
      ]);
  });

  it('finds its sandboxes again in a new pod, and leaves nothing when they are removed', patience, async () => {
    await cluster.kubectl(['-n', 'caisson', 'delete', 'pod', '-l', 'app.kubernetes.io/name=caisson']);
    expect(await rolledOut()).toContain('successfully rolled out');
    expect(await caisson('exec', 'build', '--', 'cat', 'note')).toBe('made');
    await caisson('rm', 'build');
    await caisson('gc');
    expect(await left()).toBe('');
  });
});
