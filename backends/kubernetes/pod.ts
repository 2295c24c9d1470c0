/** A spec as a pod: every field that decides about safety is sent, none is left to a default of the cluster. */
import type { CreateOptions, Spec } from '../../src/backend.ts';
import { shellText } from '../../src/lib/script.ts';
import type { Pod } from './objects.ts';
import { metadataOf } from './records.ts';
import type { Settings } from './settings.ts';
import { container } from './start.ts';

const capabilities = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER'] as const;
const mebibyte = 2 ** 20;
const tmpBytes = 512 * mebibyte;
const runBytes = 64 * mebibyte;
/** The part of its limit of processor time that a sandbox reserves on a node: agents wait for their model most of the time. */
const reservedShare = 0.1;
/** What the scheduler counts at least. */
const leastMillicores = 10;

/** Names the container of `network: none`. */
const downName = 'network-down';

export interface Making {
  readonly spec: Spec;
  readonly options: Pick<CreateOptions, 'name' | 'labels' | 'init'>;
  readonly settings: Settings;
}

/** A pod as it is sent. */
export type Manifest = Pod & { readonly apiVersion: string; readonly kind: string };

export function podOf({ spec, options, settings }: Making): Manifest {
  const { hardening, persistent, network, image } = spec;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadataOf(options.name, options.labels, { network }),
    spec: {
      restartPolicy: persistent ? 'Always' : 'Never',
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      hostNetwork: false,
      hostPID: false,
      hostIPC: false,
      shareProcessNamespace: false,
      ...(settings.serviceAccount === null ? {} : { serviceAccountName: settings.serviceAccount }),
      ...((hardening.runtime ?? settings.runtimeClass) === null
        ? {}
        : { runtimeClassName: hardening.runtime ?? settings.runtimeClass }),
      nodeSelector: settings.nodeSelector,
      tolerations: settings.tolerations,
      imagePullSecrets: settings.imagePullSecrets.map((name) => ({ name })),
      securityContext: { runAsUser: 0, runAsGroup: 0, seccompProfile: { type: 'RuntimeDefault' } },
      ...(network === 'none' ? { initContainers: [downContainer(settings.initImage ?? '')] } : {}),
      containers: [
        {
          name: container,
          image: image ?? '',
          imagePullPolicy: 'IfNotPresent',
          command: ['/bin/sh', '-c', shellText('backends/kubernetes/first'), 'sh', spec.cwd, ...options.init].map(
            literal,
          ),
          args: [],
          // The API finds pods by name. boot.sh compares the uid before it starts a command, which does not get this variable.
          env: [{ name: 'CAISSON_POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } }],
          stdin: true,
          stdinOnce: false,
          tty: false,
          workingDir: '/',
          resources: resourcesOf(spec),
          securityContext: securityOf(hardening.readOnlyRoot, capabilities),
          volumeMounts: mountsOf(spec),
        },
      ],
      volumes: volumesOf(spec, metadataOf(options.name, options.labels, { network }).name),
    },
  };
}

/** Kubernetes expands `$(NAME)` in a command, and makes one `$` of two. */
export function literal(word: string): string {
  return word.replaceAll('$', () => '$$');
}

/** Takes the interface down before the first command; the container of commands has no right to bring it up. */
function downContainer(image: string) {
  return {
    name: downName,
    image,
    imagePullPolicy: 'IfNotPresent',
    command: ['/bin/sh', '-c', shellText('backends/kubernetes/network-down')].map(literal),
    args: [],
    env: [],
    securityContext: securityOf(true, ['NET_ADMIN']),
    resources: { limits: { memory: '32Mi' } },
  };
}

function securityOf(readOnlyRoot: boolean, add: readonly string[]) {
  return {
    privileged: false,
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: readOnlyRoot,
    capabilities: { drop: ['ALL'], add },
  };
}

function resourcesOf({ limits: { cpuCores, memoryBytes } }: Spec) {
  const most = cpuCores === null ? null : Math.max(1, Math.round(cpuCores * 1000));
  const reserved = most === null ? leastMillicores : Math.min(most, Math.max(leastMillicores, most * reservedShare));
  // A pod that requests less than its limit may get swap beyond it.
  const memory = memoryBytes === null ? {} : { memory: String(memoryBytes) };
  return {
    limits: { ...(most === null ? {} : { cpu: quantity(most) }), ...memory },
    requests: { cpu: quantity(Math.round(reserved)), ...memory },
  };
}

/** In the one form that the cluster gives back. */
function quantity(millicores: number): string {
  return millicores % 1000 === 0 ? String(millicores / 1000) : `${millicores}m`;
}

/** `/workspace` and `/root` are kept on the claim, or go with the pod. */
function mountsOf({ hardening }: Spec) {
  const kept = (path: string, name: string) => ({ name: 'files', mountPath: path, subPath: name });
  return [
    kept('/workspace', 'workspace'),
    kept('/root', 'root'),
    { name: 'tmp', mountPath: '/tmp' },
    { name: 'run', mountPath: '/run' },
    ...(hardening.readOnlyRoot ? [{ name: 'files', mountPath: '/var/tmp', subPath: 'tmp' }] : []),
    ...(hardening.shmBytes === null ? [] : [{ name: 'shm', mountPath: '/dev/shm' }]),
  ];
}

function volumesOf({ persistent, hardening }: Spec, claim: string) {
  const memory = (name: string, bytes: number) => ({ name, emptyDir: { medium: 'Memory', sizeLimit: String(bytes) } });
  return [
    { name: 'files', ...(persistent ? { persistentVolumeClaim: { claimName: claim } } : { emptyDir: {} }) },
    memory('tmp', tmpBytes),
    memory('run', runBytes),
    ...(hardening.shmBytes === null ? [] : [memory('shm', hardening.shmBytes)]),
  ];
}
