/** Names, labels and annotations of what is made in the cluster. Labels take fewer characters than Caisson's: the full set is an annotation. */
import { createHash } from 'node:crypto';
import type { Labels } from '../../src/backend.ts';
import { labelsFrom, parseJson } from '../shared/labels.ts';
import type { Metadata } from './objects.ts';

const prefix = 'caisson.dev/';
export const annotation = `${prefix}labels`;
/** At a claim: what its pod is made from when it is started again. */
export const manifestAnnotation = `${prefix}pod`;
/** At a pod by which network policies are tried: the instance, and the trial. */
export const canaryLabel = `${prefix}canary`;
export const trialLabel = `${prefix}canary-trial`;
const labelForm = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const nameForm = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** A DNS label, the same for the same name. */
export function objectName(name: string): string {
  return nameForm.test(name) ? name : `csn-${hash(name)}`;
}

/** Values that no label can hold stand as their hash: they are only compared. */
export function labelValue(value: string): string {
  return labelForm.test(value) ? value : `x-${hash(value)}`;
}

export interface Kind {
  /** Network mode, by which policies select. */
  readonly network: string;
}

export function metadataOf(name: string, labels: Labels, kind: Kind): Metadata & { readonly name: string } {
  return {
    name: objectName(name),
    labels: {
      'app.kubernetes.io/managed-by': 'caisson',
      [`${prefix}instance`]: labelValue(labels.instance),
      [`${prefix}sandbox`]: labelValue(labels.sandbox),
      [`${prefix}task`]: labelValue(labels.task),
      [`${prefix}fingerprint`]: labelValue(labels.fingerprint),
      [`${prefix}network`]: kind.network,
    },
    annotations: { [annotation]: JSON.stringify(labels) },
  };
}

/** `null`: it is not Caisson's. Annotations can be changed by everyone who may write in the namespace, so they are read strictly. */
export function labelsOf(metadata: Metadata | undefined): Labels | null {
  const text = metadata?.annotations?.[annotation];
  const labels = text === undefined ? null : labelsFrom(parseJson(text));
  if (labels === null) return null;
  const shown = metadata?.labels ?? {};
  const isSame = (['instance', 'sandbox', 'fingerprint'] as const).every(
    (each) => shown[prefix + each] === labelValue(labels[each]),
  );
  return isSame ? labels : null;
}

export function ofInstance(instance: string): string {
  return `${prefix}instance=${labelValue(instance)}`;
}

export function canariesOf(instance: string): string {
  return `${canaryLabel}=${labelValue(instance)}`;
}

export function trialOf(id: string): string {
  return `${trialLabel}=${id}`;
}

export function networkSelector(network: string): Readonly<Record<string, string>> {
  return { [`${prefix}network`]: network };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
