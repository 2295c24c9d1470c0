/** Errors about nodes that do not answer. What runs there is never ended for it: a node that comes back delivers the rest. */
import { CaissonError } from '../../src/errors.ts';

/** `sandbox`: name of its pod. */
export function silentError(sandbox: string): CaissonError {
  return new CaissonError('unavailable', `the node of the sandbox ${sandbox} does not answer`, {
    details: { resource: sandbox },
    remedy:
      'wait for the node to come back, `kubectl describe pod` names it; where it is gone for good: `caisson gc --force NAME`',
  });
}

export function staysError(name: string, seconds: number): CaissonError {
  return new CaissonError('unavailable', `${name} is not gone after ${seconds} s: its node does not answer`, {
    details: { resource: name },
    remedy:
      'wait for the node to come back, `kubectl describe pod` names it; where it is gone for good: `caisson gc --force NAME`',
  });
}

/** Nothing is forced while a node may still write: it ends what it is asked to end. */
export function answersError(sandbox: string): CaissonError {
  return new CaissonError('failed_precondition', `the node of the sandbox ${sandbox} answers`, {
    details: { resource: sandbox },
    remedy: 'stop or remove the sandbox as any other',
  });
}
