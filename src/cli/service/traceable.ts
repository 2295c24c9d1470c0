/** What is said where a service was lost after it may have got a command: the id under which its record is found. */
import { CaissonError, isCode } from '../../errors.ts';

/** Any other error stays as it is. */
export function traceable(error: unknown, execId: string): unknown {
  if (!isCode(error, 'unavailable')) return error;
  const { sent, silent } = error.details;
  if (sent !== true && silent !== true) return error;
  return new CaissonError('unavailable', `${error.message}: whether ${execId} ran is not known`, {
    cause: error,
    details: { ...error.details, execId },
    remedy: `${error.remedy ?? 'start it again'}; then caisson logs ${execId} shows what is recorded of the command`,
  });
}
