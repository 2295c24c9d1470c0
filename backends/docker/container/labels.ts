/** Our labels on engine resources. */
import type { Labels } from '../../../src/backend.ts';
import { object, text } from '../engine/json.ts';

const prefix = 'caisson.';
const names = [
  'instance',
  'sandbox',
  'task',
  'fingerprint',
  'created',
  'schema',
] as const satisfies readonly (keyof Labels)[];
const grammar = /^[A-Za-z0-9_.:-]{1,63}$/;

export const instanceLabel = `${prefix}instance`;
/** Label of containers that serve a sandbox without being one: what each is for. */
export const roleLabel = `${prefix}role`;
/** Label of a sandbox: the name of the container that carries its traffic. */
export const doorLabel = `${prefix}door`;

export const doorName = (sandbox: string): string => `${sandbox}-door`;

/**
 * `container`: its name, as the engine gives it. Labels of an image are those of its containers: one that names the door of
 * another sandbox, or any other container, would have that one stopped and removed.
 */
export function doorIn(labels: unknown, container: unknown): string | null {
  const [name, own] = [text(object(labels)[doorLabel]), text(container)?.replace(/^\//, '')];
  return name !== null && own !== undefined && name === doorName(own) ? name : null;
}

export function toEngineLabels(labels: Labels): Record<string, string> {
  return Object.fromEntries(names.map((name) => [prefix + name, labels[name]]));
}

/** `null` unless all six are there and well formed. */
export function fromEngineLabels(value: unknown): Labels | null {
  const found = object(value);
  const read = (name: keyof Labels): string => {
    const label = found[prefix + name];
    return typeof label === 'string' && grammar.test(label) ? label : '';
  };
  const labels: Labels = {
    instance: read('instance'),
    sandbox: read('sandbox'),
    task: read('task'),
    fingerprint: read('fingerprint'),
    created: read('created'),
    schema: read('schema'),
  };
  return names.every((name) => labels[name] !== '') ? labels : null;
}

/**
 * The engine copies a container's labels over the attributes of its events. A container with one of these names for a
 * label can therefore make its events say anything.
 */
export function eventsAreForged(value: unknown): boolean {
  const found = object(value);
  return ['execID', 'exitCode'].some((name) => name in found);
}
