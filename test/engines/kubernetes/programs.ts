/** The programs of the test cluster: built once from Debian's source package, and kept as one archive that CI can keep too. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { debianMirror } from '../mirror.ts';
import { engineCache } from '../places.ts';

const run = promisify(execFile);
const recipe = fileURLToPath(new URL('build.sh', import.meta.url));

/** Named by the recipe, so that a changed one builds anew. */
export function kubernetesPrograms(): string {
  const version = createHash('sha256').update(readFileSync(recipe)).digest('hex').slice(0, 12);
  return join(engineCache(), `kubernetes-${version}`);
}

/** Takes five minutes of two processors and 2 GB of disk for the time being. Made aside and renamed, so that a half-made one is never used. */
export async function buildKubernetes(): Promise<void> {
  const mirror = await debianMirror();
  if (mirror === null) throw new Error('this machine gets no packages of Debian 12, and the sources come from there');
  const [work, making] = [mkdtempSync(join(tmpdir(), 'caisson-build-')), `${kubernetesPrograms()}.${process.pid}`];
  try {
    mkdirSync(making, { recursive: true });
    await run('nice', ['-n', '19', 'bash', recipe, mirror, work, making], { maxBuffer: 2 ** 26 });
    if (!existsSync(kubernetesPrograms())) renameSync(making, kubernetesPrograms());
  } finally {
    for (const each of [work, making]) rmSync(each, { recursive: true, force: true });
  }
}
