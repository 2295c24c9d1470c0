import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const shells = ['busybox', 'dash', 'bash'].filter(isThere);

function isThere(name: string): boolean {
  try {
    execFileSync('which', [name], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A directory in which `sh` is the named shell. Dispose of it. */
export function shellDirectory(name: string): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'caisson-shell-'));
  symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(path, 'sh'));
  return { path, remove: () => rmSync(path, { recursive: true }) };
}
