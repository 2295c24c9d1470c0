/** Objects of the API, as far as they are read here: each field may be absent. */
import { isRecord } from '../shared/labels.ts';

export interface Metadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: { readonly reason?: string; readonly exitCode?: number; readonly finishedAt?: string };
}

export interface ContainerStatus {
  readonly name?: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly imageID?: string;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

export interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface PodStatus {
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly podIP?: string;
  readonly conditions?: readonly Condition[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
}

export interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly [field: string]: unknown;
}

export interface PodSpec {
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly nodeName?: string;
  readonly [field: string]: unknown;
}

export interface Pod {
  readonly metadata?: Metadata;
  readonly spec?: PodSpec;
  readonly status?: PodStatus;
}

/** A claim on a volume: its name, uid and labels are all that is read of it. */
export type Claim = Pick<Pod, 'metadata'>;

export interface List {
  readonly metadata?: { readonly continue?: string; readonly resourceVersion?: string };
  readonly items?: readonly Pod[];
}

export function isStored(value: unknown): value is Pod {
  return isRecord(value) && isRecord(value['metadata']);
}

export function isList(value: unknown): value is List {
  return isRecord(value) && isRecord(value['metadata']) && Array.isArray(value['items']);
}
