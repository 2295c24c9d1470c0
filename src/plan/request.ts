/** The types of a request. Front ends take them from JSON and from people, so their word is checked once, here. */
import { CaissonError } from '../errors.ts';
import { limitNames } from './limits.ts';
import { checkTaskKey } from '../values/task.ts';
import type { SandboxRequest } from './types.ts';

const types = {
  backend: 'string',
  image: 'string',
  cwd: 'string',
  persistent: 'boolean',
  allowDegraded: 'boolean',
  recreate: 'boolean',
  project: 'boolean',
  server: 'string',
  limits: 'object',
} as const satisfies Partial<Record<keyof SandboxRequest, string>>;

/** Throws `invalid_argument` naming the field. Values are checked where they are used. */
export function checkRequest(request: SandboxRequest): void {
  if (request.taskId !== undefined) checkTaskKey(request.taskId);
  for (const [field, type] of Object.entries(types)) {
    const value: unknown = Reflect.get(request, field);
    if (value !== undefined && (value === null || typeof value !== type))
      throw requestError(`${field} must be ${type === 'object' ? 'an object' : `a ${type}`}`);
  }
  const unknown = Object.keys(request.limits ?? {}).find((name) => !limitNames.some((known) => known === name));
  if (unknown !== undefined)
    throw requestError(
      `there is no limit ${JSON.stringify(unknown.slice(0, 64))}; limits are ${limitNames.join(', ')}`,
    );
}

function requestError(message: string): CaissonError {
  return new CaissonError('invalid_argument', message);
}
