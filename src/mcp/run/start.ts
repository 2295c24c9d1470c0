/** The start of an MCP server, and what its host hears of one that does not start. A sandbox without free processes looks so. */
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { CaissonError } from '../../errors.ts';
import type { Options, Running } from '../../service/api.ts';

/** Hosts give up after a minute. */
const silentMs = 30_000;
/** An image may have to be pulled first. */
const startMs = 10 * 60_000;
const maxSaidBytes = 2000;

const remedy =
  'its sandbox may be out of processes or memory: end what runs there (caisson ps, caisson mcp run of other hosts), or raise terminal.container_pids and make the sandbox anew';

/** Rejects with `timed_out` for a start that does not come to an end. What runs is not ended by that time. */
export async function started<T>(
  name: string,
  start: (options: Options) => Promise<T>,
  options: Options,
  afterMs = startMs,
): Promise<T> {
  const late = new AbortController();
  const error = new CaissonError('timed_out', `the MCP server ${name} was not started in ${afterMs / 1000} s`, {
    remedy,
  });
  const timer = setTimeout(() => late.abort(error), afterMs);
  const signal = options.signal === undefined ? late.signal : AbortSignal.any([options.signal, late.signal]);
  const given = new Promise<never>((_resolve, reject) =>
    late.signal.addEventListener('abort', () => reject(error), { once: true }),
  );
  try {
    return await Promise.race([start({ ...options, signal }), given]);
  } finally {
    clearTimeout(timer);
  }
}

/** Says once that nothing has come from the server. To be called when something has, or the server is ended. */
export function saysSilence(name: string, say: (text: string) => void, afterMs = silentMs): () => void {
  const timer = setTimeout(
    () => say(`the MCP server ${name} has not answered for ${afterMs / 1000} s; ${remedy}`),
    afterMs,
  );
  return () => clearTimeout(timer);
}

/** The error for an exec that ended before it had an input. */
export async function notStarted(
  name: string,
  { exit, stderr }: Pick<Running, 'exit' | 'stderr'>,
  redact: (text: string) => string,
): Promise<CaissonError> {
  const [{ reason, exitCode, signal, notes }, said] = await Promise.all([exit, firstOf(stderr)]);
  const code = exitCode === null ? (signal ?? reason) : `exit code ${exitCode}`;
  const why = [...notes, redact(said).trim()].filter((each) => each !== '').join('; ');
  return new CaissonError(
    'unavailable',
    `the MCP server ${name} ended before it could read (${code})${why === '' ? '' : `: ${why}`}`,
    { remedy, details: { reason, exitCode, signal, notes } },
  );
}

async function firstOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    if (bytes < maxSaidBytes) chunks.push(chunk);
    bytes += chunk.length;
  });
  // What has come until a failure is all there is to say.
  await finished(stream).catch(() => undefined);
  return Buffer.concat(chunks).subarray(0, maxSaidBytes).toString();
}
