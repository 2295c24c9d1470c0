/** The objects of deploy/kubernetes fit each other, the service that runs in them, and the level of Pod Security of their namespace. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../../src/config/load.ts';
import type { Loaded } from '../../../src/config/types.ts';
import { placeOf } from '../../../src/http/listen.ts';
import { mayBeCalled } from '../../../src/http/hooks/host.ts';
import { known } from '../../config/known.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- read as the cluster does: what is absent fails its comparison
type Manifest = any;

const read = (name: string): readonly Manifest[] =>
  parseAllDocuments(readFileSync(new URL(`../../../deploy/kubernetes/${name}`, import.meta.url), 'utf8')).map((each) =>
    each.toJS(),
  );
const roles = read('role.yaml');
const objects = [...roles, ...read('service.yaml')];
const kind = (name: string): readonly Manifest[] => objects.filter((each) => each.kind === name);
const [deployment] = kind('Deployment');
const pod: Manifest = deployment.spec.template.spec;
const containers: readonly Manifest[] = [...pod.initContainers, ...pod.containers];

async function configured(): Promise<Loaded> {
  const root = mkdtempSync(join(tmpdir(), 'caisson-manifests-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const text = String(kind('ConfigMap')[0].data['config.yaml']);
  return await loadConfig({ backends: known, home: join(root, 'home'), env: {}, cwd: root, text });
}

describe('the manifests of the service', () => {
  it('are read without an error, and each is in a namespace that they make', () => {
    const namespaces = kind('Namespace').map(({ metadata }) => metadata.name);
    for (const { kind: of, metadata } of objects)
      if (of !== 'Namespace') expect([of, namespaces.includes(metadata.namespace)]).toEqual([of, true]);
    expect(new Set(objects.map(({ kind: of, metadata }) => `${of} ${metadata.namespace} ${metadata.name}`)).size).toBe(
      objects.length,
    );
  });

  it('run under the level restricted, which their namespace enforces', () => {
    const [own] = kind('Namespace').filter(({ metadata }) => metadata.name === deployment.metadata.namespace);
    expect(own.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    for (const { securityContext } of containers)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    const plain = ['configMap', 'emptyDir', 'persistentVolumeClaim', 'secret'];
    for (const { name: _name, ...source } of pod.volumes) expect(plain).toContain(Object.keys(source)[0]);
    expect(['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => field in pod)).toEqual([]);
  });

  it('give the account to the service alone, and the rights to that account alone', () => {
    const [account] = kind('ServiceAccount');
    expect(account.automountServiceAccountToken).toBe(false);
    expect(pod).toMatchObject({ serviceAccountName: account.metadata.name, automountServiceAccountToken: true });
    const [binding, ...others] = kind('RoleBinding');
    expect([others, kind('ClusterRoleBinding')]).toEqual([[], []]);
    const { name, namespace } = account.metadata;
    expect(binding.subjects).toEqual([{ kind: 'ServiceAccount', name, namespace }]);
    expect(binding.metadata.namespace).not.toBe(namespace);
  });

  it('keep one replica on its state: the old pod ends before the new one', () => {
    expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    const [claim] = kind('PersistentVolumeClaim');
    expect(claim.spec.accessModes).toEqual(['ReadWriteOnce']);
    expect(pod.volumes).toContainEqual({ name: 'state', persistentVolumeClaim: { claimName: claim.metadata.name } });
  });

  it('have a configuration that loads, with TLS, and with the namespace of the Role', async () => {
    const { config } = await configured();
    const place = placeOf(config.server, { isPublic: true });
    expect(place).toMatchObject({ host: '0.0.0.0', port: 7480, secure: true });
    expect(config.terminal).toMatchObject({
      backend: 'kubernetes',
      kubernetes_namespace: kind('Role')[0].metadata.namespace,
    });
    const { mountPath } = pod.containers[0].volumeMounts.find(({ name }: Manifest) => name === 'tls');
    expect([config.server.tls_cert, config.server.tls_key]).toEqual([`${mountPath}/tls.crt`, `${mountPath}/tls.key`]);
  });

  it('are called by a name that the service answers to, by probes and by clients', async () => {
    const { hosts, host: bound } = (await configured()).config.server;
    const [service] = kind('Service');
    const { name, namespace } = service.metadata;
    const probes = ['readinessProbe', 'startupProbe', 'livenessProbe'].map((each) => pod.containers[0][each].httpGet);
    for (const { httpHeaders, scheme } of probes) {
      expect(scheme).toBe('HTTPS');
      expect(mayBeCalled([httpHeaders[0].value], { hosts, bound })).toBe(true);
    }
    for (const each of [name, `${name}.${namespace}`, `${name}.${namespace}.svc`])
      expect(mayBeCalled([each], { hosts, bound })).toBe(true);
    expect(mayBeCalled(['elsewhere'], { hosts, bound })).toBe(false);
  });

  it('lead to the port of the service, and let only named clients there', async () => {
    const { port } = (await configured()).config.server;
    const [opened] = pod.containers[0].ports;
    expect(opened.containerPort).toBe(port);
    expect(kind('Service')[0].spec.ports[0].targetPort).toBe(opened.name);
    const { labels } = deployment.spec.template.metadata;
    const [policy] = kind('NetworkPolicy');
    for (const { selector } of [deployment.spec, kind('Service')[0].spec])
      expect(labels).toMatchObject(selector.matchLabels ?? selector);
    expect(labels).toMatchObject(policy.spec.podSelector.matchLabels);
    expect(policy.spec.policyTypes).toEqual(['Ingress', 'Egress']);
    const [{ from, ports }] = policy.spec.ingress;
    expect(ports).toEqual([{ protocol: 'TCP', port }]);
    for (const { podSelector } of from) expect(podSelector.matchLabels).toEqual({ 'caisson.dev/client': 'true' });
    const [sandboxes] = kind('Namespace').filter(({ metadata }) => metadata.name !== deployment.metadata.namespace);
    expect(sandboxes.metadata.labels).not.toHaveProperty(['caisson.dev/clients']);
  });
});
