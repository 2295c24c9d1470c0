/** `caisson mcp` as a process of a host, on the local backend with a state directory of its own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compiled } from '../compiled.ts';
import { bin, finished } from '../cli/process.ts';
import type { ServerAddress } from './hosts.ts';

export interface StdioHome extends AsyncDisposable {
  readonly place: ServerAddress;
  readonly root: string;
  /** The command line on the same state directory. */
  readonly cli: (
    ...args: readonly string[]
  ) => Promise<{ readonly exitCode: number | null; readonly stdout: string; readonly stderr: string }>;
}

export function stdioHome(config = ''): StdioHome {
  const root = mkdtempSync(join(tmpdir(), 'caisson-mcp-'));
  const home = join(root, 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), `terminal: {backend: local, cwd: ${root}}\n${config}`, { mode: 0o600 });
  const env = {
    ...compiled,
    PATH: process.env['PATH'] ?? '',
    HOME: root,
    CAISSON_HOME: home,
    CAISSON_SECURITY_TIRITH_ENABLED: 'false',
  };
  return {
    root,
    place: { command: process.execPath, args: [bin, 'mcp'], env },
    cli: async (...args) => await finished(process.execPath, [bin, ...args], env),
    [Symbol.asyncDispose]: async () => await Promise.resolve(rmSync(root, { recursive: true, force: true })),
  };
}
