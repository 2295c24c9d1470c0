/** The command line on the real process. */
import { resolve } from 'node:path';
import { invoke } from './invoke.ts';
import type { World } from './world.ts';

const longestMs = 2 ** 31 - 1;

/** Ends the process as soon as all output is written: what else holds it, such as a socket that closes, delays the caller only. */
export async function main(argv: readonly string[]): Promise<void> {
  // Node ends a process, with success, when all that a verb waits for is of the kind that holds none.
  const held = setInterval(() => undefined, longestMs);
  try {
    process.exitCode = await invoke(argv, realWorld());
  } finally {
    clearInterval(held);
  }
  leaveWhenWritten();
}

/** The callbacks come when the reader has taken everything, or is gone. */
function leaveWhenWritten(): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit()));
}

type MainWorld = Pick<World, 'open' | 'line' | 'embedded' | 'settings' | 'configFile'>;

export function realWorld(opened: MainWorld = real): World {
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
    ...opened,
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

const embedded: World['embedded'] = async (options) => await (await import('../main.ts')).openCaisson(options);

const real: MainWorld = {
  embedded,
  line: async (options) => await (await import('./service/way.ts')).lineToService(options),
  open: async (options) => (await (await import('./service/way.ts')).openService(options)) ?? (await embedded(options)),
  settings: async (options) => await (await import('../main.ts')).openSettings(options),
  configFile: async (options) => (await import('../main.ts')).openConfigFile(options),
};
