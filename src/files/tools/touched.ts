/** Which files a tool would touch, by their real paths: links are followed as the tool itself follows them. */
import type { Sandbox } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import { insidePath } from '../inside-path.ts';
import { runTool } from './run.ts';

export interface Touch {
  readonly path: string;
  /** The entry with this name, whatever it leads to. Otherwise what it leads to. */
  readonly entry?: boolean;
  /** Includes everything below the path. */
  readonly tree?: boolean;
}

export interface Touched {
  /** Absolute; the first one is the path itself. What is not there yet is named where it would be. */
  readonly paths: readonly [string, ...string[]];
  /** Whether these are all. */
  readonly whole: boolean;
}

/** Beyond them somebody has to be asked. */
const maxBytes = 4 * 1024 * 1024;

/** Throws `policy_denied` when it is not known: then no rule can be applied. */
export async function touchedBy(
  sandbox: Sandbox,
  { path, entry = false, tree = false }: Touch,
  signal: AbortSignal | undefined,
): Promise<Touched> {
  const args = [insidePath(path).path, entry ? 'entry' : '', tree ? 'tree' : '', String(maxBytes)] as const;
  const { bytes, failure } = await runTool(sandbox, {
    script: 'touched',
    args: [...args],
    max: 2 * maxBytes,
    signal,
  });
  const [real, ...below] = bytes.toString().split('\0');
  if (failure !== null || real === undefined || below.length === 0)
    throw new CaissonError('policy_denied', `where ${path} leads is not known, so rules cannot be applied to it`, {
      cause: failure,
      remedy: 'use a path without broken links; the image needs sh, readlink, find and head',
    });
  const whole = bytes.length < maxBytes + real.length;
  return { paths: [real === '' ? '/' : real, ...below.slice(0, -1)], whole };
}
