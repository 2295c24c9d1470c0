/** What the service knows of a sandbox, and how it shows it. */
import type { Sandbox, SandboxListItem } from '@daytona/api-client';
import type { Box } from './box.ts';
import type { Network } from './network.ts';
import type { Toolbox } from './toolbox.ts';

export type State =
  | 'creating'
  | 'started'
  | 'stopping'
  | 'stopped'
  | 'starting'
  | 'archiving'
  | 'archived'
  | 'restoring'
  | 'destroying'
  | 'destroyed'
  | 'error';

/** Minutes. */
export interface Timers {
  /** 0: never. */
  autoStopInterval: number;
  autoArchiveInterval: number;
  /** -1: never; 0: as soon as it stops. */
  autoDeleteInterval: number;
  /** 0: none. */
  ttlMinutes: number;
}

export interface Record extends Timers {
  readonly id: string;
  readonly name: string;
  readonly image: string;
  readonly env: Readonly<globalThis.Record<string, string>>;
  readonly target: string;
  network: Network;
  readonly cpu: number;
  readonly memory: number;
  readonly disk: number;
  readonly createdMs: number;
  readonly box: Box;
  readonly toolbox: Toolbox;
  labels: Readonly<globalThis.Record<string, string>>;
  state: State;
  desired: 'started' | 'stopped' | 'archived' | 'destroyed';
  errorReason: string | null;
  updatedMs: number;
  activeMs: number;
  stoppedMs: number | null;
}

const iso = (ms: number): string => new Date(ms).toISOString();
const organizationId = '00000000-0000-4000-8000-000000000001';

/** Without what the service leaves out of its lists. */
export function listItem(record: Record, origin: string): SandboxListItem {
  const { id, name, target, labels, state, desired, errorReason, network, cpu, memory, disk } = record;
  return {
    id,
    organizationId,
    name,
    target,
    labels,
    user: 'root',
    public: false,
    ...network,
    cpu,
    gpu: 0,
    memory,
    disk,
    state,
    desiredState: desired,
    ...(errorReason === null ? {} : { errorReason }),
    recoverable: false,
    sandboxClass: 'container',
    autoStopInterval: record.autoStopInterval,
    autoArchiveInterval: record.autoArchiveInterval,
    autoDeleteInterval: record.autoDeleteInterval,
    createdAt: iso(record.createdMs),
    updatedAt: iso(record.updatedMs),
    lastActivityAt: iso(record.activeMs),
    toolboxProxyUrl: `${origin}/toolbox`,
  } satisfies SandboxListItem;
}

export function shown(record: Record, origin: string): Sandbox {
  const { env } = record;
  return {
    ...listItem(record, origin),
    sandboxClass: 'container',
    env,
    volumes: [],
  } satisfies Sandbox;
}
