/**
 * Files that the code reads: in a checkout where they stand, in a package beside the bundle, in the same folders. This is the only
 * module that knows the root.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from './build.ts';

/** A chunk lies in `dist/code/`. */
const root = new URL(build === null ? '../../' : '../', import.meta.url);

/** The command line, to be run by Node. */
export const programPath = packagePath('bin/caisson.cjs');

/** `path` is relative to the package: `src/inside/files/read.sh`. */
export function asset(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

export function assetPath(path: string): string {
  return fileURLToPath(new URL(path, root));
}

/** A file of the package that is not in `dist/`, or `dist` itself. */
export function packagePath(path: string): string {
  return fileURLToPath(new URL(build === null ? path : `../${path}`, root));
}

/** A file of a dependency, `PACKAGE/PATH`. In a package it lies beside the bundle. */
export function dependencyPath(path: string): string {
  return build === null
    ? createRequire(import.meta.url).resolve(path)
    : assetPath(path.slice(path.lastIndexOf('/') + 1));
}
