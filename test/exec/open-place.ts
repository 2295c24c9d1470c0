/** A Caisson on the local backend with a home of its own. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCaisson } from '../../src/main.ts';
import type { Caisson } from '../../src/service/caisson.ts';

export interface OpenPlace extends AsyncDisposable {
  readonly caisson: Caisson;
}

export async function openPlace(config = ''): Promise<OpenPlace> {
  const root = await mkdtemp(join(tmpdir(), 'caisson-exec-'));
  const home = join(root, 'home');
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(home, 'config.yaml'), `terminal: {backend: local}\n${config}\n`, { mode: 0o600 });
  const env = { PATH: process.env['PATH'] ?? '', HOME: root, CAISSON_SECURITY_TIRITH_ENABLED: 'false' };
  const caisson = await openCaisson({ home, env, cwd: root, approver: 'queue' });
  return {
    caisson,
    [Symbol.asyncDispose]: async () => {
      await caisson.sandboxes.remove('a').catch(() => undefined);
      await caisson.close();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
