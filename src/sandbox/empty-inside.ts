/**
 * Files that root made in a sandbox belong to root on the host too. A service that is not root there lets the sandbox
 * remove them itself, before it goes. What remains is found, and reported, by the removal on the host.
 */
import type { Sandbox } from '../backend.ts';
import { toCaissonError } from '../errors.ts';
import { runScript } from '../inside/run.ts';
import { scriptOf } from '../inside/script.ts';

/** A tree of a million files takes minutes. */
const timeoutMs = 600_000;

export async function emptyInside(sandbox: Sandbox): Promise<void> {
  if (process.getuid?.() === 0 || sandbox.state !== 'running') return;
  try {
    await runScript(sandbox, { name: 'empty', script: scriptOf('empty'), args: [], timeoutMs });
  } catch (error) {
    const { code } = toCaissonError(error);
    if (code === 'internal') throw error;
  }
}
