/** Compares what the cluster has stored with what was sent: it drops fields that it does not know, and admission may change or add some. */
import { isRecord } from '../shared/labels.ts';

/** Fields that the cluster fills in, and that open nothing. */
const added: Readonly<Record<string, readonly string[]>> = {
  spec: [
    'dnsPolicy',
    'schedulerName',
    'serviceAccount',
    'serviceAccountName',
    'priority',
    'priorityClassName',
    'preemptionPolicy',
    'nodeName',
    'nodeSelector',
    'affinity',
    'overhead',
    'topologySpreadConstraints',
    'imagePullSecrets',
    'hostUsers',
  ],
  container: ['terminationMessagePath', 'terminationMessagePolicy', 'imagePullPolicy', 'resizePolicy', 'resources'],
};

/** Lists to which the cluster may add. */
const mayGrow: readonly string[] = ['spec.tolerations', 'spec.imagePullSecrets'];

/** Paths of what differs, such as `spec.containers[1]`; empty when all is as it was sent. */
export function differences(sent: unknown, stored: unknown): readonly string[] {
  return [...compare('spec', sent, stored)];
}

function* compare(path: string, sent: unknown, stored: unknown): Generator<string> {
  if (Array.isArray(sent)) yield* compareLists(path, sent, stored);
  else if (isRecord(sent)) yield* compareObjects(path, sent, stored);
  else if (!isSame(sent, stored)) yield path;
}

function* compareLists(path: string, sent: readonly unknown[], stored: unknown): Generator<string> {
  const list: readonly unknown[] = Array.isArray(stored) ? stored : [];
  for (const [index, each] of sent.entries()) yield* compare(`${path}[${index}]`, each, list[index]);
  if (mayGrow.includes(path)) return;
  for (let index = sent.length; index < list.length; index += 1) yield `${path}[${index}]${nameOf(list[index])}`;
}

function* compareObjects(path: string, sent: Readonly<Record<string, unknown>>, stored: unknown): Generator<string> {
  const object = isRecord(stored) ? stored : {};
  for (const [name, value] of Object.entries(sent)) yield* compare(`${path}.${name}`, value, object[name]);
  const free = freeIn(path);
  if (free === null) return;
  for (const name of Object.keys(object))
    if (!(name in sent) && !free.includes(name) && !isNothing(object[name])) yield `${path}.${name}`;
}

/** `null`: what is added there opens nothing, or is compared by itself. */
function freeIn(path: string): readonly string[] | null {
  if (path === 'spec') return added['spec'] ?? [];
  if (/^spec\.(initContainers|containers)\[\d+\]$/.test(path)) return added['container'] ?? [];
  if (/\.(securityContext|capabilities|seccompProfile|volumeMounts\[\d+\]|volumes\[\d+\])$/.test(path)) return [];
  return null;
}

function isSame(sent: unknown, stored: unknown): boolean {
  return sent === stored || (isNothing(sent) && isNothing(stored));
}

/** Values that the API leaves out. */
function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '' || value === 0) return true;
  return Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0;
}

function nameOf(value: unknown): string {
  const name = isRecord(value) ? value['name'] : null;
  return typeof name === 'string' ? ` (${name.slice(0, 60)})` : '';
}
