/** What a request means for the sandbox its task may already have. Pure. */
import type { Spec } from '../backend.ts';
import { CaissonError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import { controlSettings } from '../plan/asked.ts';
import { differingKeys } from '../plan/fingerprint.ts';
import type { Plan } from '../plan/types.ts';
import type { SandboxRow } from '../store/store.ts';
import { taskIn } from '../values/owner.ts';

export type Step =
  | 'create'
  /** It is there and ready as far as the row knows. */
  | 'use'
  /** It has another spec, and the caller wants it replaced. Files in the task's directory stay. */
  | 'replace'
  /** A crash left a creation or a removal unfinished. */
  | 'finish';

/**
 * Throws `conflict`, naming the differing keys, when the task's sandbox was made from another spec, and `not_found` when it is
 * none that a bound token sees.
 */
export function nextStep(
  row: SandboxRow | null,
  plan: Pick<Plan, 'spec' | 'configured' | 'fingerprint' | 'recreate' | 'bound'>,
): Step {
  if (row === null) return 'create';
  // A sandbox that a bound token does not see, and that another caller may have made just now.
  if (plan.bound !== null && row.labels[plan.bound.key] !== plan.bound.value)
    throw sandboxMissingError(taskIn(row.taskId));
  if (row.state === 'creating' || row.state === 'destroying') return 'finish';
  if (plan.recreate) return 'replace';
  // The directory belongs to each command: another one needs no other sandbox.
  if (row.fingerprint === plan.fingerprint || differingKeys(row.spec, plan.spec).every((key) => key === 'cwd'))
    return 'use';
  throw specConflictError(row, plan);
}

/** `known`: the tasks that have one. */
export function sandboxMissingError(task: string, known: readonly string[] = []): CaissonError {
  const near = nearest(task, known);
  const meant = near === null ? '' : `did you mean ${near}? `;
  return new CaissonError('not_found', `no sandbox for ${JSON.stringify(task)}`, {
    remedy: `${meant}\`caisson ls\` lists the sandboxes; \`caisson create --task NAME\` makes one`,
    details: { task },
  });
}

function specConflictError(row: SandboxRow, plan: Pick<Plan, 'spec' | 'configured'>): CaissonError {
  const keys = differingKeys(row.spec, plan.spec);
  const shown = keys.map((key) => `${key} (has ${valueAt(row.spec, key)}, asked ${valueAt(plan.spec, key)})`);
  const changed = keys.filter((key) => isChanged(row, plan, key));
  const why =
    changed.length === 0 ? '' : `; since then the configuration has changed ${changed.map(settingOf).join(', ')}`;
  return new CaissonError(
    'conflict',
    `task ${row.taskId} has a sandbox made from another spec: ${shown.join(', ')}${why}`,
    {
      remedy:
        'use it as it is with `caisson exec`, or replace it with --recreate (its files in /workspace and /root stay)',
      details: { taskId: row.taskId, sandboxId: row.id, differing: keys, changed },
    },
  );
}

function isChanged(row: SandboxRow, plan: Pick<Plan, 'configured'>, key: string): boolean {
  return row.configured !== null && valueAt(row.configured, key) !== valueAt(plan.configured, key);
}

/** Name that a key of the spec has in the configuration file. */
function settingOf(key: string): string {
  const setting = controlSettings[key.replace(/^(?:limits|hardening)\./, '')];
  return setting === undefined ? key : `terminal.${setting}`;
}

function valueAt(spec: Spec, key: string): string {
  let value: unknown = spec;
  for (const part of key.split('.')) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined;
  }
  return JSON.stringify(value) ?? 'nothing';
}
