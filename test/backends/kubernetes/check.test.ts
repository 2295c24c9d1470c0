/** What `doctor` says of a cluster: rights that are missing, and pods that it would refuse or change. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { open } from '../../../backends/kubernetes/backend.ts';
import { needed } from '../../../backends/kubernetes/rights.ts';
import type { Check } from '../../../src/backend.ts';
import { startFront } from './front.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

const initImage = `busybox@sha256:${'0'.repeat(64)}`;
/** Words of the admission of Pod Security. */
const violates = (level: string): object => ({
  reason: 'Forbidden',
  message: `pods "x" is forbidden: violates PodSecurity "${level}:latest"`,
});

interface Cluster {
  /** Whether the account may do it. */
  readonly allows: (verb: string, resource: string) => boolean;
  /** Answer to a pod that is tried. */
  readonly tries: (pod: Sent) => readonly [status: number, body: unknown];
}

interface Sent {
  readonly spec: { readonly initContainers?: readonly unknown[]; readonly containers: readonly object[] };
}

interface Looked {
  readonly check: Check;
  /** Queries of the pods that were sent. */
  readonly tried: readonly string[];
}

/** A server of these answers. */
async function looked({ allows, tries }: Cluster, settings: Readonly<Record<string, unknown>> = {}): Promise<Looked> {
  const front = await startFront('v4.channel.k8s.io');
  const tried: string[] = [];
  const answer = async (url: URL, request: IncomingMessage): Promise<readonly [number, unknown]> => {
    const body: unknown = JSON.parse((await text(request)) || 'null');
    if (url.pathname === '/version') return [200, { gitVersion: 'v1.30.1' }];
    if (url.pathname.endsWith('/selfsubjectaccessreviews')) {
      const { verb, resource, subresource } = Object(body).spec.resourceAttributes;
      const allowed = allows(verb, subresource === undefined ? resource : `${resource}/${subresource}`);
      return [201, { status: { allowed } }];
    }
    if (request.method === 'GET') return [200, { metadata: {}, items: [] }];
    tried.push(`${url.pathname}${url.search}`);
    return tries(Object(body));
  };
  front.answer = (url: URL, response: ServerResponse) =>
    void answer(url, response.req).then(([status, body]) => response.writeHead(status).end(JSON.stringify(body)));
  const backend = open({
    env: { KUBECONFIG: front.kubeconfig },
    instance: 'i',
    settings: { policy_canary: false, ...settings },
  });
  opened.push(backend, front);
  return { check: await backend.check(), tried };
}

const idsOf = ({ findings }: Check): readonly string[] => findings.map(({ id }) => id);
const all = (): boolean => true;
const stored = (pod: Sent): readonly [number, unknown] => [201, { metadata: { uid: 'u' }, ...pod }];

it('is ready where all is allowed and taken, and stores nothing', async () => {
  const { check, tried } = await looked({ allows: all, tries: stored }, { init_image: initImage });
  expect(check.status).toBe('ready');
  expect(idsOf(check)).toEqual(['policy-unproved']);
  expect(tried).toEqual(Array(2).fill('/api/v1/namespaces/default/pods?dryRun=All'));
});

it('names each missing right, and tries nothing where no pod may be created', async () => {
  const { check, tried } = await looked({
    allows: (verb, resource) => resource !== 'pods/exec' && !(verb === 'create' && resource === 'pods'),
    tries: stored,
  });
  expect(check).toMatchObject({ status: 'unhealthy', summary: expect.stringContaining(`3 of ${needed.length}`) });
  expect(idsOf(check).slice(0, 3)).toEqual([
    'missing-right-create-pods',
    'missing-right-get-pods-exec',
    'missing-right-create-pods-exec',
  ]);
  expect(tried).toEqual([]);
});

it('says which level of Pod Security keeps sandboxes without network from being made', async () => {
  const { check } = await looked(
    {
      allows: all,
      tries: (pod) => (pod.spec.initContainers === undefined ? stored(pod) : [403, violates('baseline')]),
    },
    { init_image: initImage },
  );
  expect(check.status).toBe('ready');
  expect(check.findings).toContainEqual({
    severity: 'warning',
    id: 'mode-refused-none',
    message: expect.stringContaining('violates PodSecurity "baseline:latest"'),
    remedy: expect.stringContaining('pod-security.kubernetes.io/enforce=privileged'),
  });
  expect(idsOf(check)).not.toContain('mode-refused-open');
});

it('says that no sandbox can be made under the level restricted', async () => {
  const { check } = await looked({ allows: all, tries: () => [403, violates('restricted')] });
  expect(check.findings).toContainEqual(
    expect.objectContaining({
      severity: 'error',
      id: 'mode-refused-open',
      remedy: expect.stringContaining('enforce=baseline'),
    }),
  );
});

it('names what admission would add to a pod', async () => {
  const withSidecar = ({ spec }: Sent): readonly [number, unknown] =>
    stored({ spec: { ...spec, containers: [...spec.containers, { name: 'mesh-proxy' }] } });
  const { check } = await looked({ allows: all, tries: withSidecar });
  expect(check.findings).toContainEqual(
    expect.objectContaining({ id: 'mode-changed-open', message: expect.stringContaining('mesh-proxy') }),
  );
});

it('does not take a webhook that takes no trials for a refusal', async () => {
  const words = 'admission webhook "w.example.org" does not support dry run';
  const { check } = await looked({ allows: all, tries: () => [400, { reason: 'BadRequest', message: words }] });
  expect(check.status).toBe('ready');
  expect(check.findings).toContainEqual(
    expect.objectContaining({ severity: 'warning', id: 'mode-untried-open', message: expect.stringContaining(words) }),
  );
});
