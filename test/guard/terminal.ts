/** The real command line on a terminal of its own, in a directory of its own. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { bin, start, type CliProcess } from '../cli/process.ts';

/** From util-linux: runs a shell line on a terminal of its own and passes it through. */
const script = '/usr/bin/script';
export const hasTerminal = existsSync(script);

export interface ApprovalQueue {
  /** The home directory of the account, and where commands start. */
  readonly root: string;
  /** The state directory. */
  readonly home: string;
  /** A directory that commands would remove. */
  readonly victim: string;
  /** Writes an executable into the state directory. */
  readonly program: (name: string, body: string) => string;
  readonly caisson: (args: string, env?: Record<string, string>) => CliProcess;
}

export async function queue(config = ''): Promise<ApprovalQueue> {
  const root = await mkdtemp(join(tmpdir(), 'caisson-prompt-'));
  onTestFinished(async () => await rm(root, { recursive: true }));
  const victim = join(root, 'victim');
  const home = join(root, '.caisson');
  mkdirSync(victim);
  mkdirSync(home, { mode: 0o700 });
  if (config !== '') writeFileSync(join(home, 'config.yaml'), config, { mode: 0o600 });
  const env = { HOME: root, CAISSON_TERMINAL_BACKEND: 'local', CAISSON_APPROVALS_TIMEOUT: '8' };
  return {
    root,
    home,
    victim,
    program: (name, body) => {
      const path = join(home, name);
      writeFileSync(path, `#!/bin/sh\n${body}\n`);
      chmodSync(path, 0o755);
      return path;
    },
    caisson: (args, more = {}) => {
      const line = `cd ${root} && '${process.execPath}' '${bin}' ${args}`;
      return start(script, ['-qec', line, '/dev/null'], { ...env, ...more });
    },
  };
}
