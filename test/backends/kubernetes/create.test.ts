/** What creation leaves in the cluster when it fails, on a server that refuses. */
import type { ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { open } from '../../../backends/kubernetes/backend.ts';
import { podOf } from '../../../backends/kubernetes/pod.ts';
import { settingsOf } from '../../../backends/kubernetes/settings.ts';
import { plainSpec } from '../../conformance/spec.ts';
import { startFront } from './front.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

const labels = {
  instance: 'i',
  sandbox: 'sbx_1',
  task: 't',
  fingerprint: 'f',
  created: '2026-01-01T00:00:00Z',
  schema: '1',
};
const spec = plainSpec('kubernetes', { image: 'debian:12', cwd: '/workspace', persistent: true });
const options = { name: 'caisson-i-1', labels, directory: null, credentials: null, init: ['sh'] as const };
const manifest = podOf({ spec, options, settings: settingsOf({}) });

type Answer = readonly [status: number, body: unknown];
const exists: Answer = [409, { reason: 'AlreadyExists' }];

/** An object of this name in the cluster, with the labels of a sandbox. */
function stored(sandbox: string, more: object = {}): unknown {
  const { metadata } = podOf({
    spec,
    options: { ...options, labels: { ...labels, sandbox } },
    settings: settingsOf({}),
  });
  return { ...more, metadata: { ...metadata, uid: `uid-of-${sandbox}` } };
}

/** Answers by `METHOD resource`; what is not named is not there. Returns the deletes that were asked for. */
async function failing(
  answers: Readonly<Record<string, Answer>>,
): Promise<{ readonly error: unknown; readonly deletes: readonly string[] }> {
  const front = await startFront('v4.channel.k8s.io');
  const deletes: string[] = [];
  const usual: Readonly<Record<string, Answer>> = {
    'GET version': [200, { gitVersion: 'v1.30.1' }],
    'GET runtimeclasses': [200, { items: [] }],
    'POST networkpolicies': [201, {}],
    'PATCH persistentvolumeclaims': [200, {}],
  };
  front.answer = (url: URL, response: ServerResponse) => {
    const resource = url.pathname
      .split('/')
      .find((part) => /^(pods|version|[a-z]+(?:claims|policies|classes|reviews))$/.test(part));
    const asked = `${response.req.method} ${resource}`;
    if (response.req.method === 'DELETE') deletes.push(asked);
    const [status, body] = answers[asked] ?? usual[asked] ?? [404, { reason: 'NotFound' }];
    response.writeHead(status).end(JSON.stringify(body));
  };
  const backend = open({ env: { KUBECONFIG: front.kubeconfig }, instance: 'i', settings: { policy_canary: false } });
  opened.push(backend, front);
  const error: unknown = await backend.create(spec, options).catch((thrown: unknown) => thrown);
  return { error, deletes };
}

it('leaves a claim with the files of a task alone when the pod is refused', async () => {
  const { error, deletes } = await failing({
    'POST persistentvolumeclaims': exists,
    'GET persistentvolumeclaims': [200, stored('sbx_1')],
    'POST pods': [422, { reason: 'Invalid', message: 'spec.containers: Invalid value' }],
  });
  expect(error).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining('spec.containers') });
  expect(deletes).toEqual([]);
});

it('removes the claim that it has made itself', async () => {
  const gone: Answer = [404, { reason: 'NotFound' }];
  let isThere = true;
  const claim = stored('sbx_1');
  const { error, deletes } = await failing({
    'POST persistentvolumeclaims': [201, claim],
    get 'GET persistentvolumeclaims'(): Answer {
      const answer: Answer = isThere ? [200, claim] : gone;
      isThere = false;
      return answer;
    },
    'POST pods': [422, { reason: 'Invalid' }],
  });
  expect(error).toMatchObject({ code: 'invalid_argument' });
  expect(deletes).toEqual(['DELETE persistentvolumeclaims']);
});

it('touches nothing of another sandbox by the name', async () => {
  const { error, deletes } = await failing({
    'POST persistentvolumeclaims': exists,
    'GET persistentvolumeclaims': [200, stored('sbx_2')],
  });
  expect(error).toMatchObject({ code: 'conflict' });
  expect(deletes).toEqual([]);
});

it.each([
  ['a quota that is used up', true, 'resource_exhausted'],
  ['a missing right', false, 'permission_denied'],
])('tells %s', async (_, allowed, code) => {
  const { error } = await failing({
    'POST persistentvolumeclaims': exists,
    'GET persistentvolumeclaims': [200, stored('sbx_1')],
    'POST pods': [403, { reason: 'Forbidden', message: 'pods is forbidden' }],
    'POST selfsubjectaccessreviews': [201, { status: { allowed } }],
  });
  expect(error).toMatchObject({ code });
});

it('refuses a pod to which a sidecar was added, by its name, and removes it', async () => {
  const containers = [...(manifest.spec?.containers ?? []), { name: 'mesh-proxy' }];
  const { error, deletes } = await failing({
    'POST persistentvolumeclaims': exists,
    'GET persistentvolumeclaims': [200, stored('sbx_1')],
    'POST pods': [201, stored('sbx_1', { spec: { ...manifest.spec, containers } })],
  });
  expect(error).toMatchObject({ code: 'not_supported', message: expect.stringContaining('mesh-proxy') });
  expect(deletes).toEqual(['DELETE pods']);
});
