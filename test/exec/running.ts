import { CaissonError } from '../../src/errors.ts';
import type { Recorder } from '../../src/journal/types.ts';
import { startExec } from '../../src/exec/start.ts';
import type { ExecRequest, Execution } from '../../src/exec/types.ts';
import { bare, requestFor } from './requests.ts';
import { ScriptedProcess, scriptedSandbox } from './scripted.ts';

/** What the place says to everything after the first exec. */
export const gone = new CaissonError('not_found', 'the sandbox is gone');

export async function scripted(
  changes: Partial<ExecRequest> = {},
  context: Parameters<typeof startExec>[2] = bare,
): Promise<{ readonly process: ScriptedProcess; readonly execution: Execution }> {
  const process = new ScriptedProcess();
  const execution = await startExec(scriptedSandbox(process, gone), requestFor(['true'], changes), context);
  return { process, execution };
}

export class MemoryRecorder implements Recorder {
  note: string | null = null;
  readonly missing = { stdout: 0, stderr: 0 };
  readonly kept: string[] = [];
  exits: string[] = [];
  behind: Promise<void> | undefined;

  write(stream: string, chunk: Uint8Array): Promise<void> | void {
    this.kept.push(`${stream} ${Buffer.from(chunk).toString()}`);
    return this.behind;
  }

  async end(exit: { readonly reason: string }): Promise<void> {
    this.exits.push(exit.reason);
  }
}
