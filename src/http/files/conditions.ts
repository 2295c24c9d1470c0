/** Conditions of a request on a file, against the file that is there. */
import { createHash } from 'node:crypto';
import { CaissonError, isCode, toCaissonError } from '../../errors.ts';
import type { FileTools, Options } from '../../service/api.ts';
import { brokenOf, conditionsIn, saidBy } from '../hooks/conditions.ts';
import { HttpRefusal } from '../problems.ts';
import type { Route } from '../route.ts';

type Header = (name: string) => string | undefined;

/** Whether a reader has the file already. Throws 412 for a file that must be another one. */
export function isUnchanged(header: Header, sha256: string | null): boolean {
  const conditions = conditionsIn(header);
  const { match, noneMatch } = conditions;
  if (sha256 !== null) {
    const broken = brokenOf(conditions, sha256);
    if (broken === 'match') throw changedError();
    return broken === 'noneMatch';
  }
  if (match !== undefined && match !== '*') throw tagUnknownError();
  return noneMatch === '*';
}

type At = Parameters<FileTools['stream']>[0];
type Expected = Parameters<FileTools['write']>[0]['expected'];

/**
 * What a write is to find. Throws 412 where the conditions do not hold. Where the file that is there decides, the write is over
 * this one.
 */
export async function expectedIn(
  header: Header,
  { files, at, options }: { readonly files: FileTools; readonly at: At; readonly options: Options },
): Promise<Expected> {
  const conditions = conditionsIn(header);
  const said = saidBy(conditions);
  if (said !== null) return said.expected;
  const present = await digestOf(files, at, options);
  if (brokenOf(conditions, present) !== null) throw changedError();
  return present;
}

async function digestOf(files: FileTools, at: At, options: Options): Promise<string | null> {
  try {
    const { sha256, parts } = await files.stream(at, options);
    if (sha256 !== null) return sha256;
    const hash = createHash('sha256');
    for await (const part of parts) hash.update(part);
    return hash.digest('hex');
  } catch (error) {
    if (isCode(error, 'not_found')) return null;
    throw error;
  }
}

/** A write whose condition does not hold any more is 412, as one whose condition never held. */
export async function underCondition<Written>(expected: Expected, write: () => Promise<Written>): Promise<Written> {
  try {
    return await write();
  } catch (error) {
    if (expected === undefined || !isCode(error, 'conflict')) throw error;
    throw new HttpRefusal(412, toCaissonError(error));
  }
}

/** A condition that a route cannot hold is refused: without it the request would be another one. */
export function checkConditions(header: Header, { method, conditional }: Route): void {
  if (method === 'GET') return;
  if (header('if-unmodified-since') !== undefined) throw dateError();
  if (conditional === true || [header('if-match'), header('if-none-match')].every((each) => each === undefined)) return;
  const error = new CaissonError('not_supported', 'this route takes no conditions', {
    remedy: 'leave If-Match and If-None-Match out; PUT of a file takes them',
  });
  throw new HttpRefusal(412, error);
}

function changedError(): HttpRefusal {
  const error = new CaissonError('conflict', 'the file is not what the condition says', {
    remedy: 'read it again, and send its ETag',
  });
  return new HttpRefusal(412, error);
}

function tagUnknownError(): HttpRefusal {
  const error = new CaissonError(
    'conflict',
    'the tag of a part, and of a file beyond 4 MiB, is not known before it is read',
    {
      remedy: 'read it without If-Match, and compare its Repr-Digest',
    },
  );
  return new HttpRefusal(412, error);
}

function dateError(): HttpRefusal {
  const error = new CaissonError('failed_precondition', 'a date is no condition here', {
    remedy: 'send If-Match with the ETag of the file instead of If-Unmodified-Since',
  });
  return new HttpRefusal(428, error);
}
