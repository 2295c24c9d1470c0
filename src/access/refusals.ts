/** The messages of refusals. None of them holds a code. */
import { CaissonError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import { attemptsLeft, type PairingAttempts, maxFailures } from './limits.ts';

export function noRequestError(platform: string, limits: PairingAttempts): CaissonError {
  const left = attemptsLeft(limits, platform);
  return new CaissonError('not_found', `no request on ${platform} has this code`, {
    remedy: `a code counts for an hour: compare it, or have a new one asked for; ${left} of ${maxFailures} tries are left`,
    details: { platform, attemptsLeft: left },
  });
}

export function lockedOutError(platform: string, until: number): CaissonError {
  const time = new Date(until).toISOString();
  return new CaissonError('resource_exhausted', `${maxFailures} codes in a row were wrong on ${platform}`, {
    remedy: `nothing is approved there until ${time}`,
    details: { platform, until: time },
  });
}

export function notPairedError(platform: string, id: string): CaissonError {
  return new CaissonError('not_found', `${JSON.stringify(id)} is not paired on ${platform}`, {
    remedy: 'caisson pairing list shows who is; who is let in by a list of users is taken off that list',
    details: { platform },
  });
}

export function unknownPlatformError(platform: string, known: readonly string[]): CaissonError {
  const near = nearest(platform, known);
  return new CaissonError('not_found', `no user has asked on a platform called ${platform}`, {
    remedy: near === null ? 'caisson pairing list shows who waits, and where' : `did you mean ${near}?`,
    details: { platform },
  });
}

export function ownPairingError(): CaissonError {
  return new CaissonError('permission_denied', 'a command that Caisson runs has no say in who may talk', {
    remedy: 'do it on a terminal of your own',
  });
}
