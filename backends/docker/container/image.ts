/** Image references, and getting an image that is not there. */
import type { Cancelable, Finding, Progress, RegistryAccess } from '../../../src/backend.ts';
import { CaissonError, isCode } from '../../../src/errors.ts';
import { nearest } from '../../../src/lib/nearest.ts';
import type { Engine } from '../engine/engine.ts';
import { isAway, printable, statusOf } from '../engine/fault.ts';
import type { Request } from '../engine/rest.ts';
import { list, number, object, parse, strings, text, type Json } from '../engine/json.ts';
import { throwIfAborted } from '../../shared/abort.ts';
import { linesOf } from '../engine/lines.ts';

export interface Reference {
  readonly name: string;
  /** A tag, or a digest with its algorithm. */
  readonly version: string;
}

/** The distribution project's reference grammar (docker/distribution reference/regexp.go), without bare ids. */
const grammar =
  /^((?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?\/)?[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*)(?::([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/;
const imageId = /^sha256:[0-9a-f]{64}$/;

/** Throws `invalid_argument`. `null` for an image id, which names no place it could come from. */
export function parseReference(image: string | null): Reference | null {
  if (image !== null && imageId.test(image)) return null;
  const match = image !== null && image.length <= 512 ? grammar.exec(image) : null;
  const name = match?.[1];
  if (!name) {
    throw new CaissonError('invalid_argument', 'that is no image reference', {
      remedy: 'give it as [registry/]name[:tag] or name@sha256:digest, in lower case; see terminal.docker_image',
    });
  }
  return { name, version: match?.[3] ?? match?.[2] ?? 'latest' };
}

/** What `doctor` says of an image that the next sandbox would have to wait for, or could not have. */
export async function imageFindings(
  engine: Engine,
  image: unknown,
  signal: AbortSignal | undefined,
): Promise<readonly Finding[]> {
  if (typeof image !== 'string' || (await isThere(engine, image, signal))) return [];
  return [
    {
      severity: 'warning',
      id: 'image-absent',
      message: `the image ${image} is not on the engine`,
      remedy:
        'it is pulled on first use, where the engine reaches its registry; else `caisson image build base`, and terminal.docker_image: caisson/base:latest',
    },
  ];
}

async function isThere(engine: Engine, image: string, signal: AbortSignal | undefined): Promise<boolean> {
  parseReference(image);
  try {
    await engine.ask({ what: `look at the image ${image}`, method: 'GET', path: `/images/${image}/json`, signal });
    return true;
  } catch (error) {
    if (isCode(error, 'not_found')) return false;
    throw error;
  }
}

export interface PullOptions extends Cancelable {
  readonly registry?: RegistryAccess | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Throws `not_found` when the engine cannot get it. The engine does not tell an absent image from an absent registry. */
export async function pull(engine: Engine, image: string, options: PullOptions): Promise<void> {
  const reference = parseReference(image);
  if (!reference) throw imageMissingError(image, 'an image id cannot be pulled');
  const query = { fromImage: reference.name, tag: reference.version };
  try {
    const stream = await engine.open({
      what: `pull ${image}`,
      method: 'POST',
      path: '/images/create',
      query,
      ...authOf(options.registry),
      signal: options.signal,
    });
    for await (const line of linesOf(stream, options.signal)) report(image, object(parse(line)), options);
  } catch (error) {
    throwIfAborted(options);
    if (isAway(error)) throw error;
    const words = withoutLogin(error instanceof Error ? error.message : 'the engine refused', options.registry);
    await refuseWrongLogin(engine, reference, options);
    if (options.registry?.isAsked === true) throw pullRefusedError(image, words, options.registry);
    throw imageMissingError(image, words, {
      // The error of the engine may hold what the registry said of a login.
      cause: options.registry === undefined ? error : undefined,
      near: nearest(image, await namesOn(engine)),
    });
  }
}

/** The login in the form that the engine wants: X-Registry-Auth, which docker-modem writes. */
function authOf(registry: RegistryAccess | undefined): Pick<Request, 'authconfig'> {
  return registry === undefined || registry.login === null ? {} : { authconfig: loginAt(registry, registry.login) };
}

type Login = NonNullable<RegistryAccess['login']>;

/** The engine knows Docker's own registry by an older address. */
const loginAt = ({ host }: RegistryAccess, { username, password }: Login): Readonly<Record<string, string>> => ({
  username,
  password,
  serveraddress: host === 'docker.io' ? 'https://index.docker.io/v1/' : host,
});

/** A registry says what it likes, also what it was sent. */
function withoutLogin(words: string, registry: RegistryAccess | undefined): string {
  if (registry === undefined || registry.login === null) return words;
  const { username, password } = registry.login;
  const encoded = Buffer.from(`${username}:${password}`).toString('base64');
  return words.replaceAll(encoded, '[login]').replaceAll(password, '[login]');
}

/**
 * A pull fails in the same way for an image that is not there and for a login that does not hold, so the login alone is tried. An engine
 * says of it only that it failed; of the image it says by a status that the registry has refused the caller. Throws
 * `permission_denied` for a login that is refused.
 */
async function refuseWrongLogin(engine: Engine, image: Reference, { registry, signal }: PullOptions): Promise<void> {
  if (registry === undefined || registry.login === null) return;
  const { host, login } = registry;
  const common = { what: `log in to the registry ${host}`, quiet: true, signal };
  const body = loginAt(registry, login);
  const logged = await statusAfter(engine.ask({ ...common, method: 'POST', path: '/auth', body }));
  if (logged === null) return;
  const path = `/distribution/${image.name}/json`;
  const seen = await statusAfter(engine.ask({ ...common, method: 'GET', path, authconfig: body }));
  if (logged !== 401 && seen !== 401) return;
  throw new CaissonError('permission_denied', `the registry ${host} refuses the user name and password`, {
    details: { registry: host },
    remedy: `correct the login for ${host} in registries, or in registries of the owner, and its password`,
  });
}

/** The HTTP status of a request that failed. `null`: it did not fail, or got no answer. */
const statusAfter = async (asked: Promise<unknown>): Promise<number | null> =>
  await asked.then(
    () => null,
    (error: unknown) => statusOf(error),
  );

function pullRefusedError(image: string, words: string, { host, login }: RegistryAccess): CaissonError {
  const by = login === null ? 'without a login' : 'by the login of this owner';
  return new CaissonError(
    'permission_denied',
    `the registry ${host} does not give the image ${image} ${by}: ${words}`,
    {
      details: { image, registry: host },
      remedy: `ask the operator for a login to ${host} (owners.NAME.registries), or for the image (owners.NAME.images)`,
    },
  );
}

/** Layers are reported one by one: `what` names the layer, the numbers are its bytes. */
function report(image: string, entry: Json, options: PullOptions): void {
  const failure = text(entry['error']) ?? text(object(entry['errorDetail'])['message']);
  if (failure !== null) throw new Error(printable(failure));
  const status = text(entry['status']);
  if (status === null) return;
  const detail = object(entry['progressDetail']);
  const layer = text(entry['id']);
  const what = printable(layer === null ? `${image}: ${status}` : `${image} ${layer}: ${status}`);
  options.onProgress?.({ what, done: number(detail['current']), total: number(detail['total']) });
}

/** Names of images on the engine; none when it does not answer, since the failure that is reported is another. */
async function namesOn(engine: Engine): Promise<readonly string[]> {
  const listed = engine.ask({ what: 'list the images', method: 'GET', path: '/images/json' });
  return await listed.then(
    (answer) => list(answer).flatMap((entry) => strings(object(entry)['RepoTags'])),
    () => [],
  );
}

function imageMissingError(
  image: string,
  words: string,
  { cause, near = null }: { readonly cause?: unknown; readonly near?: string | null } = {},
): CaissonError {
  const meant = near === null ? '' : `did you mean ${near}, which is on the engine? Else `;
  return new CaissonError('not_found', `the image ${image} is not on the engine and could not be pulled: ${words}`, {
    cause,
    details: { image },
    remedy: `${meant}pull or load it on the engine; \`caisson image build base\` builds an image without any registry, which is used where none is configured`,
  });
}
