/**
 * Files that root made in a sandbox belong to root on the host too. A service that is not root there lets the sandbox
 * remove them itself, before it goes. What remains is found, and reported, by the removal on the host.
 */
import type { Sandbox } from '../backend.ts';
import { toCaissonError } from '../errors.ts';

const script = 'for d in /workspace /root; do rm -rf -- "$d"/* "$d"/.[!.]* "$d"/..?*; done 2>/dev/null';

export async function emptyInside(sandbox: Sandbox): Promise<void> {
  if (process.getuid?.() === 0 || sandbox.state !== 'running') return;
  try {
    const process = await sandbox.exec(['sh', '-c', script], {
      cwd: '/',
      env: { CAISSON_EXEC: 'empty' },
      stdin: false,
    });
    process.stdout.resume();
    process.stderr.resume();
    await process.wait();
    process.release();
  } catch (error) {
    const { code } = toCaissonError(error);
    if (code === 'internal') throw error;
  }
}
