/** Image references, and getting an image that is not there. */
import type { Cancelable, Finding, Progress } from '../../../src/backend.ts';
import { CaissonError, isCode } from '../../../src/errors.ts';
import { nearest } from '../../../src/lib/nearest.ts';
import type { Engine } from '../engine/engine.ts';
import { printable } from '../engine/fault.ts';
import { list, number, object, parse, strings, text, type Json } from '../engine/json.ts';
import { throwIfAborted } from '../../shared/abort.ts';
import { linesOf } from '../engine/lines.ts';

export interface Reference {
  readonly name: string;
  /** A tag, or a digest with its algorithm. */
  readonly version: string;
}

/** Of the distribution project's reference grammar (docker/distribution reference/regexp.go), without bare ids. */
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
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Throws `not_found` when the engine cannot get it. The engine does not tell an absent image from an absent registry. */
export async function pull(engine: Engine, image: string, options: PullOptions): Promise<void> {
  const reference = parseReference(image);
  if (!reference) throw missing(image, 'an image id cannot be pulled');
  const query = { fromImage: reference.name, tag: reference.version };
  try {
    const stream = await engine.open({
      what: `pull ${image}`,
      method: 'POST',
      path: '/images/create',
      query,
      signal: options.signal,
    });
    for await (const line of linesOf(stream, options.signal)) report(image, object(parse(line)), options);
  } catch (error) {
    throwIfAborted(options);
    if (isCode(error, 'unavailable')) throw error;
    throw missing(image, error instanceof Error ? error.message : 'the engine refused', {
      cause: error,
      near: nearest(image, await namesOn(engine)),
    });
  }
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

/** Of images on the engine; none when it does not answer, since the failure that is reported is another. */
async function namesOn(engine: Engine): Promise<readonly string[]> {
  const listed = engine.ask({ what: 'list the images', method: 'GET', path: '/images/json' });
  return await listed.then(
    (answer) => list(answer).flatMap((entry) => strings(object(entry)['RepoTags'])),
    () => [],
  );
}

function missing(
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
