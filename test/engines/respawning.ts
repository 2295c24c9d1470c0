/** Ends a `respawning` engine, and waits for the one that follows it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isAnswering } from './engine-api.ts';
import type { Engine } from './engine.ts';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export async function restart({ host }: Engine, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const socket = new URL(host).pathname;
  const pid = Number(await readFile(join(socket, '../pid'), 'utf8'));
  process.kill(pid, signal);
  // Not by its socket: on a busy machine the next engine may answer before this process looks.
  await expect.poll(() => isAlive(pid), { interval: 20, timeout: 60_000 }).toBe(false);
  await expect.poll(() => isAnswering(socket), { interval: 100, timeout: 60_000 }).toBe(true);
}
