/** Decides from the status of a pod what it is doing, in words for people and codes for programs. */
import type { ResourceState } from '../../src/backend.ts';
import type { Code } from '../../src/errors.ts';
import { printable } from './fault.ts';
import type { ContainerStatus, Pod } from './objects.ts';

export type Progress =
  | { readonly is: 'running' }
  /** `grace`: it may come right by itself, as when a node is added. */
  | { readonly is: 'waiting'; readonly code: Code; readonly why: string; readonly grace: boolean }
  | { readonly is: 'ended'; readonly code: Code; readonly why: string };

/** Reasons to wait that never pass. */
const final: Readonly<Record<string, Code>> = {
  InvalidImageName: 'invalid_argument',
  ErrImageNeverPull: 'not_found',
  CreateContainerConfigError: 'failed_precondition',
};
/** Reasons that may pass, and seldom do. */
const patient: Readonly<Record<string, Code>> = {
  ErrImagePull: 'not_found',
  ImagePullBackOff: 'not_found',
  CreateContainerError: 'failed_precondition',
  RunContainerError: 'failed_precondition',
  CrashLoopBackOff: 'failed_precondition',
};

export function progressOf(pod: Pod): Progress {
  const ended = endOf(pod);
  if (ended !== null) return { is: 'ended', ...ended };
  const statuses = statusesOf(pod);
  if (pod.status?.containerStatuses?.some(({ state }) => state?.running !== undefined) === true)
    return { is: 'running' };
  for (const { state } of statuses) {
    const reason = state?.waiting?.reason ?? '';
    const why = inWords(reason, state?.waiting?.message);
    const never = final[reason];
    if (never !== undefined) return { is: 'ended', code: never, why };
    const code = patient[reason];
    if (code !== undefined) return { is: 'waiting', code, why, grace: true };
  }
  return { is: 'waiting', grace: true, ...placement(pod) };
}

function placement({ status }: Pod): { readonly code: Code; readonly why: string } {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False')
    return { code: 'resource_exhausted', why: inWords(scheduled.reason ?? 'Unschedulable', scheduled.message) };
  return { code: 'timed_out', why: 'its node has not started it yet' };
}

export interface PodEnd {
  readonly code: Code;
  readonly why: string;
}

/** `null`: it has not ended. */
export function endOf({ status, metadata }: Pod): PodEnd | null {
  if (status !== undefined && isOver(status)) return { code: 'failed_precondition', why: endWords(status) };
  return metadata?.deletionTimestamp === undefined ? null : { code: 'failed_precondition', why: 'it is being deleted' };
}

/**
 * Whether no process is left of a pod that is being deleted: the node has said that its containers ended, or none has ever run, so that
 * no command can have. Then it may be forced: no process loses its files. `waitedMs`: since the cluster has taken the deletion.
 */
export function hasNoProcess({ metadata, status }: Pod, waitedMs: number): boolean {
  const containers = status?.containerStatuses ?? [];
  if (metadata?.deletionTimestamp === undefined) return false;
  if (isOver(status)) return containers.every(({ state }) => state?.running === undefined);
  const hasEnded = (each: ContainerStatus): boolean =>
    each.state?.terminated !== undefined || hasNeverRun(each) || (waitedMs > newsMs && isLost(each));
  return containers.length > 0 && containers.every(hasEnded);
}

/** For this long after a deletion the node may still report what was before it. */
const newsMs = 5000;

/** The node removed the container before it looked how that ended. Before its pod is deleted such a container may be started again. */
function isLost({ state, lastState }: ContainerStatus): boolean {
  return state?.running === undefined && lastState?.terminated?.reason === 'ContainerStatusUnknown';
}

/** All containers have ended, or of an evicted pod are about to end, by the word of the node. */
function isOver(status: Pod['status']): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded';
}

/** Whether the node has reported a process of it, or that there will be none. */
export function isReported({ status }: Pod): boolean {
  const containers = status?.containerStatuses ?? [];
  return isOver(status) || (containers.length > 0 && containers.every((each) => !hasNeverRun(each)));
}

function hasNeverRun({ state, lastState, restartCount = 0 }: ContainerStatus): boolean {
  return state?.waiting !== undefined && lastState?.terminated === undefined && restartCount === 0;
}

/**
 * Whether its node refused it before anything of it ran: one under pressure does, until the scheduler knows of that. Another pod in its
 * place may be taken.
 */
export function wasRefused(pod: Pod): boolean {
  const { phase, reason } = pod.status ?? {};
  return phase === 'Failed' && reason !== undefined && statusesOf(pod).every(hasNeverRun);
}

/** The clocks of this host and of the cluster may differ by less. */
const lateMs = 60_000;

/**
 * Whether the node does not answer, by what the cluster knows without a right to read nodes: it takes the readiness of a pod away whose
 * containers were ready when the node was last heard, and a node that is there ends a deleted pod within its grace.
 */
export function isUnresponsive({ metadata, status }: Pod, nowMs = Date.now()): boolean {
  // A node may have started a container that it has not reported yet.
  const left = status?.containerStatuses?.filter(({ state }) => state?.terminated === undefined) ?? [];
  if (left.length === 0 || isOver(status)) return false;
  const isLate = nowMs - Date.parse(metadata?.deletionTimestamp ?? '') > lateMs;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const isUnheard = ready !== undefined && ready.status !== 'True' && left.every((each) => each.ready === true);
  return isLate || isUnheard;
}

const known: Readonly<Record<string, string>> = {
  Evicted: 'the node evicted it',
  Preempting: 'a pod of higher priority took its place',
  Preempted: 'a pod of higher priority took its place',
  NodeShutdown: 'its node shut down',
  Terminated: 'its node shut down',
  NodeLost: 'its node was lost',
  NodeAffinity: 'its node does not match its selector any more',
  DeadlineExceeded: 'its time was over',
  OutOfmemory: 'its node had no memory for it',
  OutOfcpu: 'its node had no processor for it',
};

function endWords(status: NonNullable<Pod['status']>): string {
  const memory = status.containerStatuses?.some(({ state }) => state?.terminated?.reason === 'OOMKilled') === true;
  if (memory) return 'the kernel ended its first process for memory (OOMKilled)';
  const said = known[status.reason ?? ''];
  if (said !== undefined) return `${said}${status.message === undefined ? '' : `: ${printable(status.message)}`}`;
  const code = status.containerStatuses?.[0]?.state?.terminated?.exitCode;
  return status.reason === undefined
    ? `its first process ended${code === undefined ? '' : ` with ${code}`}`
    : inWords(status.reason, status.message);
}

/** A container that came back has lost its processes: how often that was. */
export function restartsOf({ status }: Pod): number {
  return status?.containerStatuses?.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0) ?? 0;
}

/** Whether the kernel ended the first process of the container for memory, the last time that it ended. */
export function endedForMemory({ status }: Pod): boolean {
  return (
    status?.containerStatuses?.some(
      ({ state, lastState }) =>
        state?.terminated?.reason === 'OOMKilled' || lastState?.terminated?.reason === 'OOMKilled',
    ) === true
  );
}

export function resourceState(pod: Pod): ResourceState {
  if (isUnresponsive(pod)) return 'unresponsive';
  const progress = progressOf(pod);
  if (progress.is === 'running') return 'running';
  return progress.is === 'waiting' ? 'created' : 'unknown';
}

function statusesOf({ status }: Pod): readonly ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

function inWords(reason: string, message: string | undefined): string {
  return message === undefined || message === '' ? printable(reason) : `${printable(reason)}: ${printable(message)}`;
}
