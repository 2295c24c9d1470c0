/** What the service knows of a sandbox, read strictly: labels can be changed by everyone who uses the account. */
import type { Labels, ResourceState } from '../../src/backend.ts';
import { labelsFrom } from '../shared/labels.ts';

const prefix = 'dev.caisson.';

export function toService(labels: Labels): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [prefix + name, String(value)]));
}

/** `null`: it is not Caisson's. */
export function fromService(labels: Readonly<Record<string, string>>): Labels | null {
  const names = Object.entries(labels).filter(([name]) => name.startsWith(prefix));
  return labelsFrom(Object.fromEntries(names.map(([name, value]) => [name.slice(prefix.length), value])));
}

export function ofInstance(instance: string): Record<string, string> {
  return { [`${prefix}instance`]: instance };
}

export function isGone(state: string | undefined): boolean {
  return state === 'destroyed' || state === 'destroying';
}

/** A change is under way: everything else is refused until it is over. */
export function isMoving(state: string | undefined): boolean {
  return state === 'pending_build' || /^(?:pulling|building)_|ing$/.test(state ?? '');
}

const states: Readonly<Record<string, ResourceState>> = {
  started: 'running',
  paused: 'paused',
  pausing: 'paused',
  stopped: 'stopped',
  stopping: 'stopped',
  archived: 'stopped',
  archiving: 'stopped',
  error: 'unknown',
  build_failed: 'unknown',
};

export function resourceState(state: string | undefined): ResourceState {
  return states[state ?? ''] ?? (isMoving(state) ? 'created' : 'unknown');
}
