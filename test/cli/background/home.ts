/** A state directory on the local backend, and command lines on it that are processes of their own. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compiled } from '../../compiled.ts';
import { isServiceAlive, readServiceRecord } from '../../../src/lib/service-record.ts';
import { bin, type Ended } from '../process.ts';

export interface Home extends AsyncDisposable {
  readonly path: string;
  readonly caisson: (args: readonly string[], how?: How) => Promise<Ended>;
  /** Ids of processes that serve it. */
  readonly serving: () => readonly number[];
}

interface How {
  readonly env?: Readonly<Record<string, string>>;
  /** Called with what it has written to stdout. */
  readonly onOutput?: (text: string, pid: number) => void;
}

/** On a busy machine a start takes many times of what it takes alone. */
const timeoutMs = 100_000;

export function openHome(config = ''): Home {
  const root = mkdtempSync(join(tmpdir(), 'caisson-background-'));
  const path = join(root, 'home');
  mkdirSync(path, { mode: 0o700 });
  writeFileSync(join(path, 'config.yaml'), `terminal: {backend: local}\n${config}`, { mode: 0o600 });
  return {
    path,
    caisson: (args, how = {}) => run(root, ['--home', path], { args, ...how }),
    serving: () => servingOf(path),
    [Symbol.asyncDispose]: async () => {
      for (const pid of servingOf(path)) process.kill(pid, 'SIGKILL');
      const record = readRecord(path);
      const isOver = (): boolean => record === null || !isServiceAlive(record);
      while (!isOver()) await new Promise((resolve) => setTimeout(resolve, 20));
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function readRecord(path: string) {
  try {
    return readServiceRecord(path);
  } catch {
    return null;
  }
}

function run(
  root: string,
  home: readonly string[],
  { args, env = {}, onOutput }: How & { readonly args: readonly string[] },
): Promise<Ended> {
  const child = spawn(process.execPath, [bin, ...home, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    env: { ...compiled, PATH: process.env['PATH'], HOME: root, CAISSON_SECURITY_TIRITH_ENABLED: 'false', ...env },
    cwd: root,
  });
  const written = { stdout: '', stderr: '' };
  child.stderr.on('data', (chunk: Buffer) => (written.stderr += chunk.toString()));
  child.stdout.on('data', (chunk: Buffer) => {
    written.stdout += chunk.toString();
    onOutput?.(written.stdout, child.pid ?? 0);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal, ...written }));
  });
}

function servingOf(home: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const words = wordsOf(pid);
      return words.includes('serve') && words.includes('--alone') && words.includes(home);
    })
    .map(Number);
}

function wordsOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
