/** Processes of a sandbox: each inherits a variable of the sandbox. */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export const mark = 'CAISSON_DIRECTORY';

/** Until none is left: one that was about to fork shows up in the next round. */
export async function endMarked(sandbox: string): Promise<void> {
  for (let found = await marked(sandbox); found.length > 0; found = await marked(sandbox)) {
    for (const pid of found) killOne(pid);
    await sleep(20);
  }
}

async function marked(sandbox: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const environments = await Promise.all(
    pids.map(async (pid) => ({ pid, env: await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '') })),
  );
  const own = environments.filter(({ env }) => env.split('\0').includes(`${mark}=${sandbox}`));
  return own.map(({ pid }) => pid);
}

function killOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
