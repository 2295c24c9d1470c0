/** A step is one tool run as a process. Its outcome is reported in one line, and its output only when it failed. */
import { spawn } from 'node:child_process';

/** A step that hangs must not hide how the others stand. On a busy machine the real places take over 45 minutes. */
const deadlineMs = 80 * 60_000;

export interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface Outcome {
  readonly name: string;
  readonly ok: boolean;
  readonly durationMs: number;
  readonly output: string;
  readonly tally: Tally;
}

/** `live`: the output goes to the terminal as it comes, and is not kept. */
export async function runStep(step: Step, how: { readonly live: boolean }): Promise<Outcome> {
  const startedAt = performance.now();
  const { code, output } = await run(step, how.live);
  const ok = code === 0;
  const durationMs = performance.now() - startedAt;
  return {
    name: step.name,
    ok,
    durationMs,
    output,
    tally: { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 },
  };
}

export function sum(outcomes: readonly Outcome[]): Tally {
  const zero: Tally = { passed: 0, failed: 0, skipped: 0 };
  return outcomes.reduce(
    (total, { tally }) => ({
      passed: total.passed + tally.passed,
      failed: total.failed + tally.failed,
      skipped: total.skipped + tally.skipped,
    }),
    zero,
  );
}

export function lineOf({ name, ok, durationMs, tally }: Outcome): string {
  const count = tally.passed + tally.failed > 1 ? `  ${closing(tally)}` : '';
  return `${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(14)} ${(durationMs / 1000).toFixed(1).padStart(6)} s${count}`;
}

/** Last line of a run, which machines read. */
export function closing({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function run(step: Step, live: boolean): Promise<{ code: number; output: string }> {
  const [command, ...rest] = step.command;
  const env = { ...process.env, ...step.env };
  return new Promise((resolve, reject) => {
    // Descriptor 3 leads to the terminal, for what must be seen at once.
    const child = spawn(command, rest, {
      env,
      stdio: ['ignore', live ? 'inherit' : 'pipe', live ? 'inherit' : 'pipe', 1],
    });
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
    const overdue = setTimeout(() => {
      chunks.push(Buffer.from(`\nended after ${deadlineMs / 60_000} minutes\n`));
      child.kill('SIGINT');
      setTimeout(() => child.kill('SIGKILL'), 30_000).unref();
    }, deadlineMs);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(overdue);
      resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() });
    });
  });
}
