/** Places of a sandbox's files on its host, and the ref that names them. */
import type { CreateOptions, Limits, Ref } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { isLabel } from '../shared/labels.ts';
import type { Facts } from './facts.ts';
import type { Entry } from './registry.ts';
import { parseScope } from './scope.ts';

/** Any text as one name of a file: no slash, no dot in front. */
function fileName(text: string): string {
  return encodeURIComponent(text).replace(/^\./, '%2E');
}

export function directoryOf({ root }: Facts, instance: string): string {
  return `${root}/${fileName(instance)}/sandboxes`;
}

export function tasksOf({ root }: Facts, instance: string): string {
  return `${root}/${fileName(instance)}/tasks`;
}

export function workspaceOf(
  facts: Facts,
  { instance, task }: { readonly instance: string; readonly task: string },
): string {
  return `${tasksOf(facts, instance)}/${fileName(task)}`;
}

/** `limits`: `null` where only the place is asked for. */
export function entryFor(
  facts: Facts,
  { name, labels }: Pick<CreateOptions, 'name' | 'labels'>,
  limits: Limits | null,
): Entry {
  if (!isLabel(labels.sandbox)) throw new CaissonError('invalid_argument', 'a sandbox id has only A-Z a-z 0-9 _ . : -');
  return {
    directory: directoryOf(facts, labels.instance),
    name: fileName(name),
    sandbox: labels.sandbox,
    workspace: workspaceOf(facts, labels),
    scope: Object.values(limits ?? {}).some((limit) => limit !== null) ? (facts.scopes?.scope ?? null) : null,
  };
}

/** Throws `invalid_argument` for a ref that this backend did not write. */
export function fromRef(ref: Ref): { readonly host: string; readonly entry: Entry } {
  const { v, host, directory, name, sandbox, workspace, scope = null } = ref;
  if (
    v !== 1 ||
    !isText(host) ||
    !isText(directory) ||
    !isText(name) ||
    !isLabel(sandbox) ||
    !isText(workspace) ||
    (scope !== null && parseScope(scope) === null)
  )
    throw new CaissonError('invalid_argument', 'this ref is not one of the ssh backend, or of a newer version of it');
  return { host, entry: { directory, name, sandbox, workspace, scope: parseScope(scope) } };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
