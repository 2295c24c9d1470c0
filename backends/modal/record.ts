/** What is known of one sandbox: it travels in the ref, and while the sandbox runs in the tags of the service. */
import type { Labels, Ref } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { isLabel, labelsFrom } from '../shared/labels.ts';

const networks = ['open', 'filtered', 'none'] as const;
type Network = (typeof networks)[number];

export interface Plan {
  readonly milliCores: number | null;
  readonly memoryMib: number | null;
  readonly network: Network;
  readonly persistent: boolean;
}

export interface Record {
  readonly name: string;
  readonly labels: Labels;
  readonly plan: Plan;
  /** Id at the service: of the sandbox that runs, or that ran before it was stopped. */
  readonly id: string;
  readonly stopped: boolean;
  /** The snapshot that the files came from or, when it is stopped, are in. */
  readonly image: string | null;
  /** When that was made. RFC 3339. */
  readonly taken: string | null;
  /** An earlier snapshot, to be deleted once a sandbox runs from the later one. */
  readonly older: string | null;
}

export type Tags = Readonly<{ [name: string]: string }>;

export const instanceTag = 'caisson-instance';
const absent = 'none';
const idForm = /^[A-Za-z0-9-]{1,80}$/;
const timeForm = /^[0-9TZ:.-]{10,40}$/;

export function toTags({ labels, plan, image, taken }: Omit<Record, 'id' | 'stopped' | 'older'>): Tags {
  const own = Object.fromEntries(Object.entries(labels).map(([name, value]) => [`caisson-${name}`, value]));
  return {
    ...own,
    'caisson-cores': String(plan.milliCores ?? absent),
    'caisson-memory': String(plan.memoryMib ?? absent),
    'caisson-network': plan.network,
    'caisson-persistent': String(plan.persistent),
    'caisson-image': image ?? absent,
    'caisson-taken': taken ?? absent,
  };
}

/** `null` for a sandbox that Caisson did not make. */
export function fromTags(id: string, name: string, tags: Tags): Record | null {
  const of = (key: string): string => tags[`caisson-${key}`] ?? '';
  const [instance, sandbox, task, fingerprint] = [of('instance'), of('sandbox'), of('task'), of('fingerprint')];
  const labels = labelsFrom({ instance, sandbox, task, fingerprint, created: of('created'), schema: of('schema') });
  if (labels === null || !idForm.test(id)) return null;
  return {
    name,
    labels,
    id,
    stopped: false,
    older: null,
    plan: {
      milliCores: parseCount(of('cores')),
      memoryMib: parseCount(of('memory')),
      network: readNetwork(of('network')) ?? 'none',
      persistent: of('persistent') === 'true',
    },
    image: idForm.test(of('image')) && of('image') !== absent ? of('image') : null,
    taken: timeForm.test(of('taken')) ? of('taken') : null,
  };
}

/** Always in the same order: refs are compared as texts too. */
export function toRef({ name, id, stopped, image, taken, older, plan, labels }: Record): Ref {
  return { v: 1, name, id, stopped, image, taken, older, ...plan, ...labels };
}

export function fromRef(ref: Ref): Record {
  const { v, name, id, stopped, image, taken, older, milliCores, memoryMib, persistent } = ref;
  const [labels, network] = [labelsFrom(ref), readNetwork(ref['network'])];
  if (v !== 1 || labels === null || !isLabel(name) || typeof id !== 'string' || !idForm.test(id))
    throw foreignRefError();
  if (network === null) throw foreignRefError();
  return {
    name,
    labels,
    id,
    stopped: stopped === true,
    plan: {
      milliCores: readNumber(milliCores),
      memoryMib: readNumber(memoryMib),
      network,
      persistent: persistent === true,
    },
    image: readText(image, idForm),
    taken: readText(taken, timeForm),
    older: readText(older, idForm),
  };
}

function foreignRefError(): CaissonError {
  return new CaissonError('invalid_argument', 'this ref is not one of the modal backend, or of a newer version');
}

function readNetwork(value: Ref[string] | undefined): Network | null {
  return networks.find((each) => each === value) ?? null;
}

function readText(value: Ref[string] | undefined, form: RegExp): string | null {
  return typeof value === 'string' && form.test(value) ? value : null;
}

function readNumber(value: Ref[string] | undefined): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

function parseCount(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
