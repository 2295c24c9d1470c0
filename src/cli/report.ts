/** Tells a failure: what, then what to do about it. */
import { CaissonError, codes, toCaissonError } from '../errors.ts';
import { escape, escapeLine } from './escape.ts';
import { toJson } from './json.ts';
import { paintFor } from './paint.ts';
import { UsageError, usageExitCode } from './usage.ts';
import type { World } from './world.ts';

const maxCauses = 10;

/** Writes the error to stderr and resolves to the exit code that it means. */
export async function report(
  thrown: unknown,
  world: World,
  how: { readonly json: boolean; readonly colourRefused: boolean; readonly usageExitCode?: number | undefined },
): Promise<number> {
  const error = toCaissonError(thrown);
  const lines = how.json ? [toJson({ error: error.toJSON() })] : await textOf(error, world, how.colourRefused);
  if (world.env['CAISSON_DEBUG'] === '1') lines.push(...causes(thrown).map((line) => `  cause: ${escapeLine(line)}`));
  world.stderr.write(`${lines.join('\n')}\n`);
  return error instanceof UsageError ? (how.usageExitCode ?? usageExitCode) : codes[error.code].exitCode;
}

async function textOf(error: CaissonError, world: World, refused: boolean): Promise<string[]> {
  const paint = await paintFor({ env: world.env, terminal: world.stderr.isTTY === true, refused });
  const message = escape(error.message).replaceAll('\n', '\n  ');
  const lines = [`${paint.red('caisson:')} ${message} ${paint.dim(`(${error.code})`)}`];
  if (error instanceof UsageError && error.usage !== null) lines.push(`  usage: ${error.usage}`);
  if (error.remedy !== null) lines.push(`  try: ${escape(error.remedy).replaceAll('\n', '\n       ')}`);
  return lines;
}

/**
 * The chain of causes. Messages of a CaissonError hold no secrets by rule; of others, only the kind is shown,
 * since their words may be anything, also a header or a value.
 */
export function causes(thrown: unknown): string[] {
  const lines: string[] = [];
  let current: unknown = thrown instanceof CaissonError ? thrown.cause : thrown;
  while (current !== undefined && current !== null && lines.length < maxCauses) {
    lines.push(describe(current));
    current = current instanceof Error ? current.cause : undefined;
  }
  return lines;
}

function describe(cause: unknown): string {
  if (cause instanceof CaissonError) return `${cause.code}: ${cause.message}`;
  if (!(cause instanceof Error)) return typeof cause;
  const facts = ['code', 'errno', 'syscall', 'path', 'address', 'port', 'statusCode'].flatMap((key) => {
    const value: unknown = Reflect.get(cause, key);
    return typeof value === 'string' || typeof value === 'number' ? [`${key}=${value}`] : [];
  });
  return [cause.name, ...facts, ...frames(cause)].join(' ');
}

/** Places where an error was thrown, without its message: the first lines of the stack that name a place. */
function frames(cause: Error): string[] {
  const places = (cause.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return places.slice(0, 3).map((line) => line.trim());
}
