/** Runs a short script of Caisson in a sandbox and returns its output, bounded in time and size. */
import type { Process, Sandbox } from '../backend.ts';
import { abortError, CaissonError } from '../errors.ts';
import { carried } from './carried.ts';
import { noPlaceStatus } from './kept.ts';
import { execVariable } from '../values/exec-variable.ts';

export interface ScriptRun {
  /** Tells it apart in a process table. */
  readonly name: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Bytes for its stdin; without, it reads end of file at once. */
  readonly input?: string | Uint8Array;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

export interface ScriptEnd {
  readonly exitCode: number | null;
  readonly text: string;
}

const maxBytes = 1024 * 1024;
const timeoutMs = 20_000;

/** Throws what `exec` throws, `timed_out`, and `failed_precondition` where the sandbox has no place to keep anything. */
export async function runScript(sandbox: Pick<Sandbox, 'exec'>, run: ScriptRun): Promise<ScriptEnd> {
  const late = AbortSignal.timeout(run.timeoutMs ?? timeoutMs);
  const signal = run.signal === undefined ? late : AbortSignal.any([run.signal, late]);
  const { command, env } = carried(run.name, run.script, run.args);
  const process = await sandbox.exec(command, {
    cwd: run.cwd ?? '/',
    env: { ...run.env, ...env, [execVariable]: run.name },
    stdin: run.input !== undefined,
    signal,
  });
  try {
    if (run.input !== undefined) feed(process, run.input);
    process.stderr.on('error', () => {}).resume();
    const [end, text] = await Promise.race([Promise.all([process.wait(), textOf(process)]), aborted(signal)]);
    const outputs = await Promise.race([process.outputs(), aborted(signal)]);
    if (outputs.is === 'cut')
      throw new CaissonError('unavailable', `the answer of the sandbox is incomplete: ${outputs.why}`, {
        remedy: 'try again',
      });
    if (end.exitCode !== noPlaceStatus) return { exitCode: end.exitCode, text };
  } finally {
    process.release();
  }
  throw new CaissonError('failed_precondition', 'the sandbox has no directory in which Caisson could keep anything', {
    remedy: 'give the sandbox a writable HOME',
  });
}

/** A script may leave its input unread: its status alone tells what became of it. */
function feed(process: Process, input: string | Uint8Array): void {
  process.stdin?.on('error', () => {});
  process.stdin?.end(input);
}

async function textOf({ stdout }: Process): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdout.iterator()) {
    if (!Buffer.isBuffer(chunk)) continue;
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new CaissonError('resource_exhausted', 'the sandbox answered with more than a script of Caisson prints');
  }
  return Buffer.concat(chunks).toString('utf8');
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(abortError(signal));
    else signal.addEventListener('abort', () => reject(abortError(signal)), { once: true });
  });
}
