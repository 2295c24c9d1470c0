/** Whether a copy may be written where it is wanted. */
import { basename, join } from 'node:path';
import { CaissonError } from '../../errors.ts';
import { mirrorInside, type Protection, protectionOf, type Surroundings } from '../../policy/writes/protect.ts';
import { realPath } from './real.ts';

export interface CopyTarget {
  readonly source: string;
  readonly target: string;
  /** Whether the target is a path of this host. */
  readonly onHost: boolean;
  /** Somebody has been told what is remarkable about it, and wants it. */
  readonly confirmed: boolean;
}

/** `policy_denied`, or `approval_required` for what has to be confirmed; `null` when it may be written. */
export function refusalOf(copy: CopyTarget, surroundings: Surroundings): CaissonError | null {
  const found = protectionFor(copy, surroundings);
  if (found === null || (found.kind !== 'protected' && copy.confirmed)) return null;
  const details = { kind: found.kind, target: copy.target };
  if (found.kind === 'protected')
    return new CaissonError('policy_denied', `not written: ${found.description}`, {
      details,
      remedy: 'if it is really meant, do it yourself outside Caisson',
    });
  return new CaissonError('approval_required', `this has to be confirmed: ${found.description}`, {
    details,
    remedy: 'ask whoever decides about it, then say that it is confirmed (caisson cp --confirmed)',
  });
}

/** A directory as the target gets the name of the source. */
function protectionFor(copy: CopyTarget, surroundings: Surroundings): Protection | null {
  const targets = [copy.target, join(copy.target, basename(copy.source))];
  if (!copy.onHost) return targets.map((target) => mirrorInside(target)).find((found) => found !== null) ?? null;
  const real = { userHome: realPath(surroundings.userHome), home: realPath(surroundings.home) };
  for (const target of targets) {
    const found = protectionOf(realPath(target), real);
    if (found !== null) return found;
  }
  return null;
}
