import { describe, expect, it } from 'vitest';
import type { Spec } from '../../../src/backend.ts';
import { podOf } from '../../../backends/kubernetes/pod.ts';
import { differences } from '../../../backends/kubernetes/read-back.ts';
import { labelsOf, labelValue, objectName } from '../../../backends/kubernetes/records.ts';
import { settingsOf } from '../../../backends/kubernetes/settings.ts';
import { plainSpec } from '../../conformance/spec.ts';

const labels = {
  instance: 'i1',
  sandbox: 'sbx_1',
  task: 'a:b',
  fingerprint: 'f1',
  created: '2026-01-01T00:00:00.000Z',
  schema: '1',
};
const plain = plainSpec('kubernetes', { image: 'debian:12', cwd: '/workspace', persistent: false });

function pod(patch: Partial<Spec> = {}, settings: Readonly<Record<string, unknown>> = {}) {
  const options = { name: 'caisson-i1-1', labels, init: ['sh', '-c', 'x'] as const };
  return podOf({ spec: { ...plain, ...patch }, options, settings: settingsOf(settings) });
}

const spec = (patch: Partial<Spec> = {}, settings: Readonly<Record<string, unknown>> = {}) =>
  pod(patch, settings).spec ?? {};
const main = (patch: Partial<Spec> = {}) => spec(patch).containers?.[0] ?? {};

describe('a pod', () => {
  it('opens nothing of the node or the cluster', () => {
    expect(spec()).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      hostNetwork: false,
      hostPID: false,
      hostIPC: false,
      shareProcessNamespace: false,
      restartPolicy: 'Never',
      securityContext: { runAsUser: 0, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(main()['securityContext']).toEqual({
      privileged: false,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: false,
      capabilities: { drop: ['ALL'], add: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER'] },
    });
  });

  it('has its limits in the form that the cluster gives back, and reserves all of its memory', () => {
    const limits = { ...plain.limits, cpuCores: 2, memoryBytes: 67_108_864 };
    expect(main({ limits })['resources']).toEqual({
      limits: { cpu: '2', memory: '67108864' },
      requests: { cpu: '200m', memory: '67108864' },
    });
    expect(main({ limits: { ...limits, cpuCores: 0.05, memoryBytes: null } })['resources']).toEqual({
      limits: { cpu: '50m' },
      requests: { cpu: '10m' },
    });
    expect(main()['resources']).toEqual({ limits: {}, requests: { cpu: '10m' } });
  });

  it('says each word of its first command as it is, though the cluster expands some', () => {
    const command: unknown = main({ cwd: '/$(HOME)' })['command'];
    const words: readonly string[] = Array.isArray(command) ? command.map(String) : [];
    expect(words.at(-4)).toBe('/$$(HOME)');
    expect(words[2]).toContain('"$$@"');
    expect(words[2]?.replaceAll('$$', () => '')).not.toContain('$');
  });

  it('keeps files on a claim of its own name, and comes back when its first process ends', () => {
    expect(spec({ persistent: true })).toMatchObject({
      restartPolicy: 'Always',
      volumes: [{ name: 'files', persistentVolumeClaim: { claimName: 'caisson-i1-1' } }, {}, {}],
    });
  });

  it('loses its network to a container that runs before it, which alone has NET_ADMIN', () => {
    const [first, ...others] = spec({ network: 'none' }, { init_image: 'busybox@sha256:1' }).initContainers ?? [];
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      image: 'busybox@sha256:1',
      securityContext: { capabilities: { drop: ['ALL'], add: ['NET_ADMIN'] }, allowPrivilegeEscalation: false },
    });
    expect(spec().initContainers).toBeUndefined();
  });

  it('runs where the settings say', () => {
    const settings = {
      runtime_class: 'gvisor',
      node_selector: { pool: 'agents' },
      tolerations: [{ key: 'agents' }],
      image_pull_secrets: ['pull'],
      service_account: 'none',
    };
    expect(spec({}, settings)).toMatchObject({
      runtimeClassName: 'gvisor',
      nodeSelector: { pool: 'agents' },
      tolerations: [{ key: 'agents' }],
      imagePullSecrets: [{ name: 'pull' }],
      serviceAccountName: 'none',
    });
    expect(spec({ hardening: { ...plain.hardening, runtime: 'kata' } }, settings)['runtimeClassName']).toBe('kata');
  });
});

describe('what is read back', () => {
  const uidOfPod = {
    name: 'CAISSON_POD_UID',
    valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.uid' } },
  };
  const stored = (change: (spec: Record<string, unknown>) => void): Record<string, unknown> => {
    const copy: Record<string, unknown> = structuredClone({ ...spec() });
    // Defaults that every cluster fills in, and falsehoods that it leaves out.
    Object.assign(copy, { dnsPolicy: 'ClusterFirst', schedulerName: 'default-scheduler', nodeName: 'n', priority: 0 });
    for (const name of ['hostNetwork', 'hostPID', 'hostIPC', 'nodeSelector', 'imagePullSecrets']) delete copy[name];
    copy['tolerations'] = [{ key: 'node.kubernetes.io/not-ready' }];
    change(copy);
    return copy;
  };
  const container = (copy: Record<string, unknown>): Record<string, unknown> => {
    const list = copy['containers'];
    return Array.isArray(list) ? list[0] : expect.fail('no containers');
  };

  it('is the same where only defaults were added', () => {
    expect(
      differences(
        spec(),
        stored(() => undefined),
      ),
    ).toEqual([]);
  });

  it.each<[string, (copy: Record<string, unknown>) => void, string]>([
    ['a sidecar', (copy) => (copy['containers'] = [container(copy), { name: 'proxy' }]), 'spec.containers[1] (proxy)'],
    ['an init container', (copy) => (copy['initContainers'] = [{ name: 'setup' }]), 'spec.initContainers'],
    ['a variable', (copy) => (container(copy)['env'] = [uidOfPod, { name: 'A' }]), 'spec.containers[0].env[1] (A)'],
    ['variables from a secret', (copy) => (container(copy)['envFrom'] = [{}]), 'spec.containers[0].envFrom'],
    ['a port', (copy) => (container(copy)['ports'] = [{ containerPort: 80 }]), 'spec.containers[0].ports'],
    ['a hook', (copy) => (container(copy)['lifecycle'] = { postStart: {} }), 'spec.containers[0].lifecycle'],
    ['the network of the node', (copy) => (copy['hostNetwork'] = true), 'spec.hostNetwork'],
    ['a token', (copy) => (copy['automountServiceAccountToken'] = true), 'spec.automountServiceAccountToken'],
    ['another image', (copy) => (container(copy)['image'] = 'mirror/debian:12'), 'spec.containers[0].image'],
    ['host names', (copy) => (copy['hostAliases'] = [{ ip: '10.0.0.1' }]), 'spec.hostAliases'],
    ['another runtime', (copy) => (copy['runtimeClassName'] = 'none'), 'spec.runtimeClassName'],
  ])('names %s', (_, change, path) => {
    expect(differences(spec(), stored(change))).toEqual([path]);
  });

  it('names a volume that was added, and one that was dropped', () => {
    const volumes = spec()['volumes'];
    const list: unknown[] = Array.isArray(volumes) ? volumes : [];
    expect(
      differences(
        spec(),
        stored((copy) => (copy['volumes'] = [...list, { name: 'token' }])),
      ),
    ).toEqual(['spec.volumes[3] (token)']);
    expect(
      differences(
        spec(),
        stored((copy) => (copy['volumes'] = list.slice(0, 2))),
      ),
    ).not.toEqual([]);
  });

  it('names capabilities that were added and a filter of system calls that was dropped', () => {
    const grant = (copy: Record<string, unknown>): void => {
      Object.assign(container(copy), {
        securityContext: {
          ...Object(main()['securityContext']),
          capabilities: { drop: ['ALL'], add: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SYS_ADMIN'] },
        },
      });
      copy['securityContext'] = { runAsUser: 0, runAsGroup: 0 };
    };
    expect(differences(spec(), stored(grant)).join()).toMatch(/seccompProfile.*capabilities\.add\[3\]/);
  });
});

describe('names and labels', () => {
  it('make a DNS label of every name, always the same', () => {
    expect(objectName('caisson-a-1')).toBe('caisson-a-1');
    for (const odd of ['Caisson_A', 'a'.repeat(64), '-a', 'a.b']) {
      expect(objectName(odd)).toMatch(/^csn-[0-9a-f]{32}$/);
      expect(objectName(odd)).toBe(objectName(odd));
    }
  });

  it('keep all labels in an annotation, and are ours only where both agree', () => {
    const { metadata } = pod();
    expect(labelsOf(metadata)).toEqual(labels);
    expect(labelValue('a:b')).toMatch(/^x-[0-9a-f]{32}$/);
    expect(labelsOf({ ...metadata, labels: { ...metadata?.labels, 'caisson.dev/sandbox': 'sbx_2' } })).toBeNull();
    expect(labelsOf({ ...metadata, annotations: {} })).toBeNull();
    expect(labelsOf({ ...metadata, annotations: { 'caisson.dev/labels': '{"instance":1}' } })).toBeNull();
  });
});
