/** Short commands of our own in a sandbox: they reach processes there, for which the service has no call. */
import type { Reach } from './process.ts';
import { CaissonError } from '../../src/errors.ts';
import { codeOf, modalError } from './fault.ts';
import { shellText } from '../../src/lib/script.ts';
import type { Handle } from './sdk.ts';

/** What is gone needs no signal. */
export function reachIn(handle: Handle): Reach {
  return {
    signal: async ({ pid, born }, signal) =>
      await runIn(handle, shellText('backends/modal/signal'), [String(pid), born, signal.slice('SIG'.length)]),
    resize: async ({ pid }, { rows, columns }) =>
      await runIn(handle, shellText('backends/modal/resize'), [String(pid), String(rows), String(columns)]),
  };
}

export async function makeDirectory(handle: Handle, path: string): Promise<void> {
  try {
    const process = await handle.exec(['/bin/mkdir', '-p', '--', path], { stdout: 'ignore', stderr: 'ignore' });
    if ((await process.wait()) === 0) return;
  } catch (error) {
    throw modalError(error, 'make the working directory');
  }
  throw new CaissonError('failed_precondition', `the working directory ${path} cannot be made in this image`, {
    details: { path },
    remedy: 'choose another cwd, or another image',
  });
}

async function runIn(handle: Handle, script: string, args: readonly string[]): Promise<void> {
  try {
    const command = ['/bin/sh', '-c', script, 'sh', ...args];
    const process = await handle.exec(command, { stdout: 'ignore', stderr: 'ignore' });
    await process.wait();
  } catch (error) {
    if (codeOf(error) !== 'not_found') throw modalError(error, 'reach a process of the sandbox');
  }
}
