/** The emulator of Modal with a latency, Caisson on it, and the official SDK beside it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Handle, loadSdk } from '../backends/modal/sdk.ts';
import { CaissonError } from '../src/errors.ts';
import { startModalService, whyNoModal } from '../test/engines/modal.ts';
import type { BenchPlace } from './place.ts';

export interface ModalPlace {
  readonly caisson: BenchPlace['caisson'];
  readonly task: string;
  /** A sandbox of its own, by the SDK alone. */
  readonly handle: Handle;
}

export async function withModalPlace<T>(roundTripMs: number, work: (place: ModalPlace) => Promise<T>): Promise<T> {
  if (whyNoModal !== null) throw new CaissonError('failed_precondition', whyNoModal);
  const { openCaisson } = await import('../src/main.ts');
  const service = await startModalService();
  const home = await mkdtemp(join(tmpdir(), 'caisson-bench-'));
  const flags = { 'terminal.backend': 'modal', 'terminal.modal_image': 'debian:12' };
  const env = { ...process.env, HOME: home, ...service.env };
  const caisson = await openCaisson({ home, env, cwd: home, flags });
  const client = connect(await loadSdk(env), env);
  try {
    const task = 'bench';
    await caisson.sandboxes.create({ taskId: task });
    const app = await client.apps.fromName('bench', { createIfMissing: true });
    const handle = await client.sandboxes.create(app, client.images.fromRegistry('debian:12'), {
      timeoutMs: 3_600_000,
    });
    await service.order('latency', { ms: roundTripMs });
    return await work({ caisson, task, handle });
  } finally {
    await service.order('latency', { ms: 0 });
    await caisson.sandboxes.remove('bench').catch(() => undefined);
    await caisson.close();
    client.close();
    await service.stop();
    await rm(home, { recursive: true, force: true });
  }
}
