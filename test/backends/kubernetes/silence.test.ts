/** A sandbox whose node does not answer, on a server that says so as the node controller does. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it, vi } from 'vitest';
import { open } from '../../../backends/kubernetes/backend.ts';
import { podOf } from '../../../backends/kubernetes/pod.ts';
import { settingsOf } from '../../../backends/kubernetes/settings.ts';
import type { Sandbox } from '../../../src/backend.ts';
import { plainSpec } from '../../conformance/spec.ts';
import { startFront } from './front.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
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
const name = 'caisson-i-1';
const spec = plainSpec('kubernetes', { image: 'debian:12', cwd: '/workspace', persistent: true });
const manifest = podOf({ spec, options: { name, labels, init: ['sh'] }, settings: settingsOf({}) });
const how = { cwd: '/', env: {}, stdin: false };

/** The pod was ready when its node was last heard; `ready`: what the cluster says of it now. */
function podThat(ready: 'True' | 'False', deletionTimestamp?: string): object {
  const deletion = deletionTimestamp === undefined ? {} : { deletionTimestamp };
  return {
    metadata: { ...manifest.metadata, uid: 'pod-uid', ...deletion },
    spec: { nodeName: 'n' },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: ready }],
      containerStatuses: [{ name: 'main', ready: true, state: { running: {} } }],
    },
  };
}

interface Place {
  readonly sandbox: Sandbox;
  /** Bodies of the deletes that were asked for. */
  readonly deletes: readonly unknown[];
  /** Addresses at which a way in was asked for. */
  readonly urls: readonly string[];
}

/** A sandbox that keeps files. A delete with a grace leaves the pod where it is, as long as its node does not answer. */
async function attached(pod: object, { runs }: { readonly runs: boolean } = { runs: false }): Promise<Place> {
  const front = await startFront('v4.channel.k8s.io');
  const deletes: unknown[] = [];
  let there: object | null = pod;
  const claim = { metadata: { ...manifest.metadata, uid: 'claim-uid' } };
  const answer = async (url: URL, request: IncomingMessage): Promise<readonly [number, unknown]> => {
    const body = Object(JSON.parse((await text(request)) || 'null'));
    if (url.pathname.includes('/persistentvolumeclaims/')) return [200, claim];
    if (request.method === 'DELETE') {
      deletes.push(body);
      if (body.gracePeriodSeconds === 0) there = null;
      return [200, {}];
    }
    return there === null ? [404, { reason: 'NotFound' }] : [200, there];
  };
  front.answer = (url: URL, response: ServerResponse) =>
    void answer(url, response.req).then(([status, body]) => response.writeHead(status).end(JSON.stringify(body)));
  if (!runs) front.refusals.push(...Array.from({ length: 50 }, () => 500));
  const backend = open({ env: { KUBECONFIG: front.kubeconfig }, instance: 'i', settings: { policy_canary: false } });
  opened.push(backend, front);
  const sandbox = await backend.attach({ v: 1, namespace: 'default', name, uid: 'claim-uid', keeps: true });
  return { sandbox, deletes, urls: front.urls };
}

const silent = { code: 'unavailable', message: expect.stringContaining('does not answer') };

it('is unresponsive, refuses commands, and asks the node no more for a while', async () => {
  const { sandbox, urls } = await attached(podThat('False'));
  expect(sandbox.state).toBe('unresponsive');
  await expect(sandbox.exec(['true'], how)).rejects.toMatchObject(silent);
  // Another try may be under way, of the count of what was killed for memory.
  const asked = urls.length;
  await expect(sandbox.exec(['true'], how)).rejects.toMatchObject(silent);
  expect([asked > 0, urls.length - asked]).toEqual([true, 0]);
});

it('is unresponsive too when it was deleted and its node has not ended it, and is not taken for stopped', async () => {
  const { sandbox } = await attached(podThat('True', '2026-01-01T00:00:00Z'));
  expect(sandbox.state).toBe('unresponsive');
});

it('is asked to stop, which fails at once', async () => {
  const { sandbox, deletes } = await attached(podThat('False'));
  const stopping = sandbox.power?.stop({ onRef: async () => undefined });
  await expect(stopping).rejects.toMatchObject({ ...silent, remedy: expect.stringContaining('caisson gc --force') });
  expect(deletes).toEqual([expect.objectContaining({ preconditions: { uid: 'pod-uid' }, gracePeriodSeconds: 1 })]);
});

it('is given up by its uid and without a grace, and its claim stays', async () => {
  const { sandbox, deletes } = await attached(podThat('False'));
  await sandbox.abandon?.();
  expect(deletes).toEqual([expect.objectContaining({ preconditions: { uid: 'pod-uid' }, gracePeriodSeconds: 0 })]);
  expect(sandbox.state).toBe('stopped');
  await sandbox.abandon?.();
  expect(deletes).toHaveLength(1);
});

it('is not given up while its node answers', async () => {
  const { sandbox, deletes } = await attached(podThat('True'));
  expect(sandbox.state).toBe('running');
  await expect(sandbox.abandon?.()).rejects.toMatchObject({ code: 'failed_precondition' });
  expect(deletes).toEqual([]);
});

it('is not given up when its node runs a command, though the cluster still takes it for lost', async () => {
  vi.stubEnv('CAISSON_POD_UID', 'pod-uid');
  const { sandbox, deletes } = await attached(podThat('False'), { runs: true });
  expect(sandbox.state).toBe('unresponsive');
  await expect(sandbox.abandon?.()).rejects.toMatchObject({ code: 'failed_precondition' });
  expect(deletes).toEqual([]);
});
