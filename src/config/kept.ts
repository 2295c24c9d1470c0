/**
 * The checked configuration, kept for the processes that follow: reading YAML and checking it by the schema takes longer than
 * a short command. The texts are read at every start, and what was kept counts for exactly those texts.
 */
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Kept } from '../backend.ts';
import type { Loaded } from './types.ts';

/** Store of checked configurations, and the build that checks: another build may check otherwise. */
export interface Keeping {
  readonly values: Kept;
  readonly build: string;
}

/** What checking gives; the rest of `Loaded` is of this process. */
export type Checked = Omit<Loaded, 'home' | 'env' | 'source' | 'forTask'>;

const name = 'config';

/** `given`: all that the check depends on. */
export function keyOf({ build }: Keeping, given: readonly unknown[]): string {
  return hash('sha256', JSON.stringify([build, ...given]));
}

/** `null`: not kept, or of other texts. */
export function readKept({ values }: Keeping, key: string): Checked | null {
  const value = values.read(name);
  return isKept(value) && value.key === key ? value.checked : null;
}

/** Not kept: values of the environment of MCP servers, which may be secrets, and what JSON cannot hold. */
export function keep({ values }: Keeping, key: string, checked: Checked): void {
  const hasValues = Object.values(checked.config.mcp_servers).some(({ env }) => env !== undefined);
  const copy: unknown = JSON.parse(JSON.stringify(checked));
  if (!hasValues && isDeepStrictEqual(copy, checked)) values.write(name, { key, checked });
}

/** The key is a hash of the build, so that the rest has the form that this build wrote. */
function isKept(value: unknown): value is { readonly key: string; readonly checked: Checked } {
  return typeof value === 'object' && value !== null && 'key' in value && 'checked' in value;
}
