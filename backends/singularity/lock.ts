/**
 * One at a time, also across processes: flock(1) holds the lock as long as its stdin is open, and the kernel closes that
 * however we end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { CaissonError } from '../../src/errors.ts';
import { untilAborted } from '../shared/abort.ts';
import { systemError } from '../shared/system-fault.ts';

/** `signal` ends the waiting for the lock, not the work. */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<T> {
  const holder = spawn('flock', [file, 'sh', '-c', 'echo held; read -r end'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  });
  holder.stdin.on('error', () => undefined); // It has ended, and with it the lock.
  try {
    await untilAborted(held(holder, file), signal);
    return await work();
  } finally {
    // A waiting flock does not look at its stdin, so it is killed; the shell below it ends with its stdin.
    holder.kill('SIGKILL');
    holder.stdin.destroy();
    holder.stdout.destroy();
  }
}

async function held(holder: ChildProcess, file: string): Promise<void> {
  const failed = once(holder, 'exit').then(
    () => {
      throw new CaissonError('failed_precondition', `cannot lock ${file}`, { remedy: 'look at its directory' });
    },
    (error: unknown) => {
      throw systemError(error, 'start flock, of the package util-linux');
    },
  );
  failed.catch(() => undefined);
  if (holder.stdout !== null) await Promise.race([once(holder.stdout, 'data'), failed]);
}
