/** A service that cannot be reached, or whose connection was lost: what may be repeated is. */
import { CaissonError, isCode } from '../../errors.ts';

/** `sent`: whether the service may have seen the request. */
export function unreachableError(
  message: string,
  { sent, cause }: { readonly sent: boolean; readonly cause?: unknown },
): CaissonError {
  return new CaissonError('unavailable', message, {
    details: { sent },
    remedy: 'see whether the service runs, and is reached under this address',
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Not for an answer of the service that something else is unavailable. */
export function isAway(error: unknown): error is CaissonError {
  return isCode(error, 'unavailable') && typeof error.details['sent'] === 'boolean';
}

/** Also where the request must not be repeated. */
export const wasNotSent = (error: unknown): boolean => isAway(error) && error.details['sent'] === false;
