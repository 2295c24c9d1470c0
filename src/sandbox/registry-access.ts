/**
 * How a place may get the image of a sandbox: by the login that the configuration has for its registry and the owner of the
 * sandbox. An image that one owner's login has brought to an engine lies there for all, so for an owner the registry is asked each
 * time, wherever any login for it is configured.
 */
import { open } from 'node:fs/promises';
import type { RegistryAccess } from '../backend.ts';
import type { Config } from '../config/types.ts';
import { CaissonError } from '../errors.ts';
import type { Plan } from '../plan/types.ts';
import { operator } from '../values/caller.ts';
import { registryOf } from '../values/image.ts';
import { ownerOf } from '../values/owner.ts';
import type { Context } from './context.ts';

type Login = Config['registries'][string];
type Registries = Context['registries'];

const maxBytes = 4096;

/** Absent where no login concerns the image. Throws `not_supported`, `permission_denied`, and `failed_precondition` for a password that is not there. */
export async function registryAccess(
  { registries, env }: Pick<Context, 'registries' | 'env'>,
  { taskId, placed: { image }, guarantees }: Pick<Plan, 'taskId' | 'placed' | 'guarantees'>,
): Promise<RegistryAccess | undefined> {
  if (image === null) return undefined;
  const owner = ownerOf(taskId);
  const host = registryOf(image);
  const wanted = accessOf(registries, { owner, image, host });
  if (wanted === null) return undefined;
  if (host === null)
    throw new CaissonError('permission_denied', 'an image id does not say which registry it is from', {
      remedy: 'name the image as [registry/]name[:tag]',
    });
  const { login, isAsked } = wanted;
  if (login === null) return { host, login: null, isAsked };
  if (guarantees.registryLogins !== true)
    throw new CaissonError('not_supported', `this backend cannot log in to the registry ${host}`, {
      remedy: `use docker, or take ${host} out of registries in the configuration`,
      details: { registry: host },
    });
  return { host, login: { username: login.username, password: await readPassword(login, { env, host }) }, isAsked };
}

/** Pure. `null`: no login is configured that concerns it. */
export function accessOf(
  { registries, owners }: Registries,
  { owner, image, host }: { readonly owner: string; readonly image: string; readonly host: string | null },
): { readonly login: Login | null; readonly isAsked: boolean } | null {
  const own = (mine: Config['registries'] | undefined): Login | null =>
    (host !== null && mine !== undefined && Object.hasOwn(mine, host) ? mine[host] : null) ?? null;
  if (owner === operator) {
    const login = own(registries);
    return login === null ? null : { login, isAsked: false };
  }
  const allowed = Object.hasOwn(owners, owner) ? owners[owner] : undefined;
  const login = own(allowed?.registries);
  const everyone = [registries, ...Object.values(owners).map((each) => each.registries ?? {})];
  const concerns = everyone.some((each) => (host === null ? Object.keys(each).length > 0 : Object.hasOwn(each, host)));
  // What the operator has named for this owner is granted.
  const isGranted = allowed?.images?.includes(image) === true;
  if (!concerns || (isGranted && login === null)) return null;
  return { login, isAsked: !isGranted };
}

async function readPassword(
  { password_env: variable, password_file: file }: Login,
  { env, host }: { readonly env: Context['env']; readonly host: string },
): Promise<string> {
  const password = variable === undefined ? await readPasswordFile(file ?? '', host) : (env[variable] ?? '');
  if (password !== '') return password;
  const from = variable === undefined ? 'its file is empty' : `${variable} is not set`;
  throw passwordMissingError(host, from);
}

async function readPasswordFile(path: string, host: string): Promise<string> {
  try {
    await using file = await open(path, 'r');
    const { mode } = await file.stat();
    if ((mode & 0o077) !== 0) throw passwordMissingError(host, `${path} can be read by other users`);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer
      .subarray(0, bytesRead)
      .toString()
      .replace(/\r?\n$/, '');
  } catch (error) {
    throw error instanceof CaissonError ? error : passwordMissingError(host, `${path} cannot be read`, error);
  }
}

function passwordMissingError(host: string, why: string, cause?: unknown): CaissonError {
  return new CaissonError('failed_precondition', `there is no password for the registry ${host}: ${why}`, {
    cause,
    details: { registry: host },
    remedy: 'set the variable of password_env, or write the file of password_file with mode 0600',
  });
}

type PasswordSource = Pick<Login, 'password_env'>;

/** Variables that hold passwords: they are Caisson's alone. */
export const registryVariables = ({ registries, owners }: Registries): readonly string[] =>
  [registries, ...Object.values(owners).map((each) => each.registries ?? {})]
    .flatMap((each) => Object.values<PasswordSource>(each))
    .flatMap(({ password_env: variable }) => (variable === undefined ? [] : [variable]));
