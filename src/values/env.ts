/** What may stand in the environment of a command. */
import { CaissonError } from '../errors.ts';
import { isControlVariable, isInfrastructureVariable } from './control-variables.ts';

export const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Linux: one string of the environment, with its name, `=` and the final NUL (MAX_ARG_STRLEN, execve(2)). */
const stringBytes = 128 * 1024;
const totalBytes = 1024 * 1024;

/**
 * Checks what a request wants in a command's environment. Throws `invalid_argument` that names the variable, never its
 * value. An operator's own configuration may set control variables; no one may set Caisson's own.
 */
export function checkExecEnv(
  env: Readonly<Record<string, string>>,
  options: { readonly operator?: boolean } = {},
): void {
  let total = 0;
  for (const [name, value] of Object.entries(env)) {
    const problem =
      nameProblem(name) ?? (options.operator === true ? null : controlProblem(name)) ?? valueProblem(name, value);
    if (problem !== null) throw variableError(name, problem);
    total += name.length + Buffer.byteLength(value) + 2;
  }
  if (total > totalBytes) {
    throw new CaissonError('invalid_argument', `the environment is larger than ${totalBytes} bytes in all`, {
      remedy: 'pass large values in a file or on stdin',
    });
  }
}

/** Values of the named variables as the host has them. One that is not set is absent, not empty. */
export function forwardedEnv(
  names: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const set = names.flatMap((name) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(set);
}

/**
 * `forwardedEnv`, with the names looked at once more: whatever let them through before, what is never passed on is not
 * passed on here. `own` are names that the configuration gives to keys of Caisson itself, and to secrets of owners.
 */
export function passedEnv(
  names: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  own: readonly string[] = [],
): Record<string, string> {
  for (const name of names) {
    const problem = own.includes(name)
      ? 'it is a key of Caisson itself, or a secret of an owner'
      : forwardProblem(name);
    if (problem === null) continue;
    throw new CaissonError('permission_denied', `the variable ${name.slice(0, 64)} is never passed on: ${problem}`, {
      remedy: 'take it out of env_passthrough and *_forward_env',
    });
  }
  return forwardedEnv(names, env);
}

/** Why a variable of the host must not be passed on, or `null`. */
export function forwardProblem(name: string): string | null {
  if (!variableName.test(name)) return 'it is not a name of letters, digits and underscores';
  if (isInfrastructureVariable(name)) return 'it leads to the host, its engine or its keys';
  if (isControlVariable(name)) return 'it changes what commands do (a loader, shell, editor or proxy reads it)';
  return null;
}

/** Why the configuration must not set a variable of commands, or `null`. */
export function setProblem(name: string): string | null {
  return nameProblem(name) ?? (isInfrastructureVariable(name) ? forwardProblem(name) : null);
}

function nameProblem(name: string): string | null {
  if (!variableName.test(name) || name.length > 255)
    return 'its name must be up to 255 letters, digits and underscores, and not start with a digit';
  if (name.toUpperCase().startsWith('CAISSON_')) return 'names that start with CAISSON_ are reserved';
  return null;
}

function controlProblem(name: string): string | null {
  return isControlVariable(name) ? 'it changes what commands do, so only the operator may set it' : null;
}

function valueProblem(name: string, value: unknown): string | null {
  if (typeof value !== 'string') return 'its value must be a string';
  if (value.includes('\0')) return 'its value holds a NUL byte';
  if (name.length + Buffer.byteLength(value) + 2 > stringBytes)
    return `its value is longer than ${stringBytes} bytes, which Linux does not allow`;
  return null;
}

function variableError(name: string, problem: string): CaissonError {
  const shown = JSON.stringify(name.slice(0, 64));
  return new CaissonError('invalid_argument', `the variable ${shown} cannot be set: ${problem}`, {
    details: { variable: name.slice(0, 64) },
    remedy: 'leave it out, or set it inside the command',
  });
}
