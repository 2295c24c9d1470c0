import { CaissonError } from '../../errors.ts';

/** A verb that no route serves. */
export function notServedError(verb: string, why: string): CaissonError {
  return new CaissonError('not_supported', `${verb} is not reached through a service: ${why}`, {
    remedy: 'do it on the host of the service, with `openCaisson` or the command line',
  });
}
