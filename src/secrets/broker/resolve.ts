/** Asks one source for one secret. What a source says never reaches an error, nor does what its program complained of. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CaissonError } from '../../errors.ts';
import { runProgram } from '../../lib/run-program.ts';
import type { SecretSource } from './types.ts';

export interface ResolveContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Directory in which programs start: the state directory. */
  readonly cwd: string;
}

const maxFileBytes = 1024 * 1024;
const defaultTimeoutSeconds = 10;

/** `null`: the source is there and has nothing. Throws `unavailable`, `timed_out`, `invalid_argument`. */
export async function resolve(name: string, source: SecretSource, where: ResolveContext): Promise<string | null> {
  if ('env' in source) return where.env[source.env] ?? null;
  return 'file' in source ? await fromFile(name, source.file, where) : await fromProgram(name, source, where);
}

export function pathOf(file: string, env: ResolveContext['env']): string {
  return file.startsWith('~/') ? join(env['HOME'] ?? '/', file.slice(2)) : file;
}

async function fromFile(name: string, file: string, { env }: ResolveContext): Promise<string | null> {
  const path = pathOf(file, env);
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size > maxFileBytes)
      throw secretError('invalid_argument', name, `${file} is no regular file of at most ${maxFileBytes} bytes`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof CaissonError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    if (code === 'ENOENT') return null;
    throw secretError('unavailable', name, `${file} cannot be read (${code})`, error);
  }
}

async function fromProgram(
  name: string,
  source: Extract<SecretSource, { readonly exec: unknown }>,
  { env, cwd }: ResolveContext,
): Promise<string> {
  const seconds = source.timeout ?? defaultTimeoutSeconds;
  const set = Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  const started = performance.now();
  const end = await runProgram({
    command: source.exec,
    cwd,
    env: Object.fromEntries(set),
    input: '',
    timeoutMs: seconds * 1000,
  });
  const program = source.exec[0];
  if (end.kind === 'failed') {
    const late = performance.now() - started >= seconds * 1000;
    if (late) throw secretError('timed_out', name, `${program} did not answer within ${seconds} s`);
    throw secretError(
      'unavailable',
      name,
      `${program} ${end.missing ? 'is not there' : 'could not be run to its end'}`,
    );
  }
  if (end.exitCode !== 0) throw secretError('unavailable', name, `${program} ended with ${end.exitCode}`);
  return end.stdout;
}

function secretError(
  code: 'unavailable' | 'timed_out' | 'invalid_argument',
  name: string,
  what: string,
  cause?: unknown,
): CaissonError {
  return new CaissonError(code, `the secret ${name} could not be had: ${what}`, {
    cause,
    details: { name },
    remedy: 'run what security.secret_sources names by hand; what it said is not shown here, since it may be secret',
  });
}
