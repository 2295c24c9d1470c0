/** A state directory and a place on the disk, both new for each test, and services on them one after the other. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { openCaisson } from '../../src/main.ts';
import type { Caisson } from '../../src/service/caisson.ts';
import { DiskPlace } from '../fixtures/disk-backend/place.ts';

export interface DiskHome {
  readonly home: string;
  readonly place: DiskPlace;
  readonly env: Readonly<Record<string, string>>;
}

/** Called where the tests are. */
export function diskHome(): { at: DiskHome } {
  const afresh: { at: DiskHome } = { at: { home: '', place: new DiskPlace(''), env: {} } };
  beforeEach(async () => {
    const root = await mkdtemp(join(tmpdir(), 'caisson-disk-'));
    const [home, place] = [join(root, 'home'), new DiskPlace(join(root, 'place'))];
    await mkdir(home, { mode: 0o700 });
    // A lane enters directories as it sees them, and the place maps those of commands.
    const config = 'terminal:\n  backend: disk\nexec:\n  lanes: false\n';
    await writeFile(join(home, 'config.yaml'), config, { mode: 0o600 });
    afresh.at = { home, place, env: { PATH: process.env['PATH'] ?? '', HOME: root, DISK_ROOT: place.root } };
  });
  afterEach(() => rm(afresh.at.env['HOME'] ?? '', { recursive: true, force: true }));
  return afresh;
}

/** Works on a service of its own and closes it afterwards: the next one knows what is on record, and nothing else. */
export async function within<T>({ home, env }: DiskHome, work: (caisson: Caisson) => Promise<T>): Promise<T> {
  const backends = { disk: () => import('../fixtures/disk-backend/backend.ts') };
  const caisson = await openCaisson({ home, env, cwd: home, backends });
  try {
    return await work(caisson);
  } finally {
    await caisson.close();
  }
}

export async function output(caisson: Caisson, text: string): Promise<string> {
  const { stdout } = await caisson.run({ taskId: 'demo', command: ['sh', '-c', text] });
  return stdout.text;
}

/** A sandbox that was stopped once, so that a snapshot of `kept` is below what runs. */
export async function written(at: DiskHome): Promise<void> {
  await within(at, async (caisson) => {
    await output(caisson, 'echo kept >note');
    await caisson.sandboxes.stop('demo');
    await output(caisson, 'echo more >>note');
  });
}
