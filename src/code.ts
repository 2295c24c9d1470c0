/** Code runs: a program's text into a fresh directory of the sandbox, and nothing of it left behind. */
import { randomBytes } from 'node:crypto';
import type { CodeInput, ExecInput, Running } from './api.ts';
import { codeCleanup, codeCommand, codeDirectory, mayForwardToCode } from './exec/code.ts';
import { runScript } from './exec/script-run.ts';
import type { Context } from './sandbox/context.ts';
import type { Resolved } from './sandbox/plan.ts';
import { presentSandbox } from './sandbox/present.ts';

export function codeExec({ code, ...input }: CodeInput): ExecInput {
  const execId = input.execId ?? `exec_${randomBytes(12).toString('hex')}`;
  return { ...input, execId, command: codeCommand(code.language, execId), cwd: '/', stdin: true };
}

export function withoutSecrets(plan: Resolved): Resolved {
  return { ...plan, forwardEnv: plan.forwardEnv.filter(mayForwardToCode) };
}

/** Gives the program its text, and removes its directory when it was ended before it could do so itself. */
export function feedCode(context: Context, running: Running, text: string | Uint8Array): Running {
  running.stdin?.end(text);
  const exit = running.exit.then(async (ended) => {
    if (ended.reason === 'exited') return ended;
    const row = await context.store.sandbox(running.where.sandboxId);
    const sandbox = row === null || row.ephemeral ? null : await presentSandbox(context, row).catch(() => null);
    if (sandbox === null) return ended; // it went with its sandbox, or goes with it
    const run = { name: 'code-cleanup', script: codeCleanup, args: [codeDirectory(running.id)] };
    const removed = await runScript(sandbox, run).then(
      ({ exitCode }) => exitCode === 0,
      () => false,
    );
    return removed ? ended : { ...ended, notes: [...ended.notes, 'the directory of the program could not be removed'] };
  });
  return Object.assign(running, { stdin: null, exit });
}
