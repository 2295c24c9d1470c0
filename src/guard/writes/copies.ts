/** Whether a copy may be written where it is wanted. */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CaissonError } from '../../errors.ts';
import {
  leadsToMirror,
  mirrorInside,
  type Protection,
  protectionOf,
  type HomeDirectories,
} from '../../policy/writes/protect.ts';
import { realPath } from './real.ts';

export interface CopyTarget {
  readonly source: string;
  readonly target: string;
  /** Whether the target is a path of this host. */
  readonly onHost: boolean;
  /** The caller knows what is remarkable about it, and confirms it. */
  readonly confirmed: boolean;
}

/** `policy_denied`, or `approval_required` for what has to be confirmed; `null` when it may be written. */
export function copyRefusedError(copy: CopyTarget, surroundings: HomeDirectories): CaissonError | null {
  return protectionError(copy, protectionFor(copy, surroundings), copy.target);
}

/**
 * Checks each path of a tree as it comes, and throws for the first that may not be written. `inTree`: its parts below
 * the root of the tree. `null`: nothing protected can be below.
 */
export function vetting(copy: CopyTarget, surroundings: HomeDirectories): ((inTree: readonly string[]) => void) | null {
  const places = copy.onHost ? [hostPlace(copy)] : [copy.target, insideOf(copy)].filter(mayLeadToMirror);
  if (places.length === 0) return null;
  const real = realSurroundings(surroundings);
  const directories = new Map<string, string>();
  return (inTree) => {
    for (const place of places) {
      const path = join(place, ...inTree);
      const found = copy.onHost ? onHost(realIn(directories, path), real) : mirrorInside(path);
      const refusal = protectionError(copy, found, path);
      if (refusal !== null) throw refusal;
    }
  };
}

/** A repository that comes whole changes none that is there. */
function onHost(path: string, surroundings: HomeDirectories): Protection | null {
  const found = protectionOf(path, surroundings);
  const isNew =
    found?.kind === 'repository' && !existsSync(path.replace(/(\/\.git)\/(?:hooks|config)(?:\/.*)?$/, '$1'));
  return isNew ? null : found;
}

function protectionError(copy: CopyTarget, found: Protection | null, target: string): CaissonError | null {
  if (found === null || (found.kind !== 'protected' && copy.confirmed)) return null;
  const details = { kind: found.kind, target };
  if (found.kind === 'protected')
    return new CaissonError('policy_denied', `not written: ${found.description}`, {
      details,
      remedy: 'if it is really meant, do it yourself outside Caisson',
    });
  return new CaissonError('approval_required', `this has to be confirmed: ${found.description}`, {
    details,
    remedy: 'ask the person who decides about it, then say that it is confirmed (caisson cp --confirmed)',
  });
}

const mayLeadToMirror = (place: string): boolean => leadsToMirror(join(place).replace(/\/+$/, ''));

const insideOf = ({ source, target }: CopyTarget): string => join(target, basename(source));

const realSurroundings = ({ userHome, home }: HomeDirectories): HomeDirectories => ({
  userHome: realPath(userHome),
  home: realPath(home),
});

/** A directory as the target gets the name of the source. */
function protectionFor(copy: CopyTarget, surroundings: HomeDirectories): Protection | null {
  const targets = [copy.target, insideOf(copy)];
  if (!copy.onHost) return targets.map((target) => mirrorInside(target)).find((found) => found !== null) ?? null;
  const real = realSurroundings(surroundings);
  for (const target of targets) {
    const found = onHost(realPath(target), real);
    if (found !== null) return found;
  }
  return null;
}

/** Path of the tree on the host: inside the target when that is a directory, unless only the content is copied. */
function hostPlace(copy: CopyTarget): string {
  const isContent = /(?:^|\/)\.$/.test(copy.source);
  const isDirectory = statSync(copy.target, { throwIfNoEntry: false })?.isDirectory() === true;
  return isDirectory && !isContent ? insideOf(copy) : copy.target;
}

/** Links can only be in what is there already, and directories hold many files. */
function realIn(directories: Map<string, string>, path: string): string {
  const above = dirname(path);
  const real = directories.get(above) ?? realPath(above);
  directories.set(above, real);
  return join(real, basename(path));
}
