/** The command line on the real process. */
import { resolve } from 'node:path';
import { invoke } from './invoke.ts';
import type { World } from './world.ts';

/** How long a connection that was not given back may keep the process after all output. */
const patienceMs = 2000;

/** Sets the exit code and lets the process end by itself, so that everything written is also delivered. */
export async function main(argv: readonly string[]): Promise<void> {
  process.exitCode = await invoke(argv, realWorld());
  setTimeout(leaveWhenWritten, patienceMs).unref();
}

/** The timer fires only when something else keeps the process: a reader who is slow, or a leak. */
function leaveWhenWritten(): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit()));
}

export function realWorld(open: World['open'] = openReal): World {
  return {
    env: process.env,
    cwd: workingDirectory(),
    // Opened only by those who read it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    signals: process,
    nowMs: Date.now,
    open,
    abandon: (exitCode) => process.exit(exitCode),
  };
}

/** A shell may stand in a directory that was removed: whatever needs it then says that it is not there. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return resolve('/', process.env['PWD'] ?? '');
  }
}

const openReal: World['open'] = async (options) => {
  const { openCaisson } = await import('../main.ts');
  return openCaisson(options);
};
