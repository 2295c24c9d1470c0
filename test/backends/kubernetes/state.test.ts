import { describe, expect, it } from 'vitest';
import type { Pod, PodStatus } from '../../../backends/kubernetes/objects.ts';
import {
  endedForMemory,
  endOf,
  hasNoProcess,
  isUnresponsive,
  progressOf,
  resourceState,
  restartsOf,
  wasRefused,
} from '../../../backends/kubernetes/state.ts';

const pod = (status: PodStatus, more: Pod = {}): Pod => ({ ...more, status });
const main = (state: object, more: object = {}): Pod =>
  pod({ phase: 'Pending', containerStatuses: [{ name: 'main', state, ...more }] });
const deleted = { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } };

describe('the status of a pod', () => {
  it('is running when its container runs', () => {
    expect(progressOf(main({ running: {} }))).toEqual({ is: 'running' });
    expect(resourceState(main({ running: {} }))).toBe('running');
  });

  it.each([
    ['ErrImagePull', 'waiting', 'not_found'],
    ['ImagePullBackOff', 'waiting', 'not_found'],
    ['InvalidImageName', 'ended', 'invalid_argument'],
    ['ErrImageNeverPull', 'ended', 'not_found'],
    ['CreateContainerConfigError', 'ended', 'failed_precondition'],
    ['ContainerCreating', 'waiting', 'timed_out'],
  ])('says of %s that it is %s, as %s', (reason, is, code) => {
    expect(progressOf(main({ waiting: { reason, message: 'words\n of the node' } }))).toMatchObject({ is, code });
  });

  it('says why no node takes it', () => {
    const conditions = [
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes: 3 Insufficient cpu.' },
    ];
    expect(progressOf(pod({ phase: 'Pending', conditions }))).toMatchObject({
      is: 'waiting',
      code: 'resource_exhausted',
      why: 'Unschedulable: 0/3 nodes: 3 Insufficient cpu.',
    });
  });

  it.each([
    ['Evicted', 'the node evicted it: The node was low on resource'],
    ['Preempting', 'a pod of higher priority took its place'],
    ['NodeShutdown', 'its node shut down'],
    ['DeadlineExceeded', 'its time was over'],
  ])('names the end by %s', (reason, words) => {
    const why = endOf(pod({ phase: 'Failed', reason, message: 'The node was low on resource' }))?.why;
    expect(why?.startsWith(words)).toBe(true);
  });

  it('names memory before anything else, and a first process that ended by itself', () => {
    const ended = (reason: string, exitCode: number): Pod =>
      pod({ phase: 'Failed', containerStatuses: [{ state: { terminated: { reason, exitCode } } }] });
    expect(endOf(ended('OOMKilled', 137))?.why).toContain('memory');
    expect(endedForMemory(ended('OOMKilled', 137))).toBe(true);
    expect(endOf(ended('Error', 3))?.why).toBe('its first process ended with 3');
    expect(endOf(main({ running: {} }))).toBeNull();
  });

  it('was refused by its node when it ended and nothing of it ever ran', () => {
    const refused = { phase: 'Failed', reason: 'Evicted', message: 'The node had condition: [DiskPressure].' };
    const containers = (state: object): PodStatus => ({ ...refused, containerStatuses: [{ state }] });
    expect(wasRefused(pod(refused))).toBe(true);
    expect(wasRefused(pod(containers({ waiting: {} })))).toBe(true);
    expect(wasRefused(pod(containers({ running: {} })))).toBe(false);
    expect(wasRefused(pod(containers({ terminated: {} })))).toBe(false);
    expect(wasRefused(pod({ phase: 'Pending' }))).toBe(false);
  });

  it('counts restarts, and sees that one was for memory', () => {
    const again = main({ running: {} }, { restartCount: 2, lastState: { terminated: { reason: 'OOMKilled' } } });
    expect([restartsOf(again), endedForMemory(again), progressOf(again).is]).toEqual([2, true, 'running']);
  });

  it('is unresponsive when the cluster has taken its readiness away though its containers were ready', () => {
    const heard = (ready: string, wasReady: boolean): Pod =>
      pod({
        phase: 'Running',
        conditions: [{ type: 'Ready', status: ready }],
        containerStatuses: [{ name: 'main', ready: wasReady, state: { running: {} } }],
      });
    expect(resourceState(heard('False', true))).toBe('unresponsive');
    expect(resourceState(heard('Unknown', true))).toBe('unresponsive');
    expect(resourceState(heard('True', true))).toBe('running');
    // Its own kubelet says that it is not ready yet.
    expect(resourceState(heard('False', false))).toBe('running');
    expect(isUnresponsive(pod({ ...heard('False', true).status, phase: 'Failed' }))).toBe(false);
    expect(isUnresponsive(main({ waiting: { reason: 'ContainerCreating' } }))).toBe(false);
  });

  it('is unresponsive when it was deleted long ago and its node has not ended it', () => {
    const deletedAt = Date.parse(deleted.metadata.deletionTimestamp);
    const running = { ...pod({ phase: 'Running', containerStatuses: [{ state: { running: {} } }] }), ...deleted };
    expect(isUnresponsive(running, deletedAt + 61_000)).toBe(true);
    expect(isUnresponsive(running, deletedAt + 59_000)).toBe(false);
    // A node may have begun with what it has not reported before it hung.
    const unreported = { ...main({ waiting: { reason: 'ContainerCreating' } }), ...deleted };
    expect(isUnresponsive(unreported, deletedAt + 61_000)).toBe(true);
    expect(isUnresponsive(unreported, deletedAt + 59_000)).toBe(false);
    const ended = pod({ phase: 'Running', containerStatuses: [{ state: { terminated: {} } }] });
    expect(isUnresponsive({ ...ended, ...deleted }, deletedAt + 61_000)).toBe(false);
  });

  it('may be forced out only when the node has said that no process is left, or none has ever run', () => {
    const forced = (state: object, more: object = {}): boolean =>
      hasNoProcess({ ...main(state, more), ...deleted }, 10_000);
    expect(forced({ terminated: {} })).toBe(true);
    expect(forced({ waiting: { reason: 'ImagePullBackOff' } })).toBe(true);
    expect(forced({ waiting: { reason: 'CrashLoopBackOff' } }, { restartCount: 1 })).toBe(false);
    expect(forced({ running: {} })).toBe(false);
    expect(hasNoProcess({ ...pod({ phase: 'Running' }), ...deleted }, 10_000)).toBe(false);
    expect(hasNoProcess(main({ terminated: {} }), 10_000)).toBe(false);
  });

  it('is over where the node removed a container before it looked how that ended, but not of an evicted pod that still runs', () => {
    const lost = { state: { waiting: {} }, lastState: { terminated: { reason: 'ContainerStatusUnknown' } } };
    const forced = (phase: string, container: object, waitedMs: number): boolean =>
      hasNoProcess({ ...pod({ phase, containerStatuses: [container] }), ...deleted }, waitedMs);
    expect(forced('Failed', lost, 0)).toBe(true);
    expect(forced('Running', lost, 10_000)).toBe(true);
    expect(forced('Running', lost, 1000)).toBe(false);
    expect(forced('Failed', { state: { running: {} } }, 10_000)).toBe(false);
  });
});
