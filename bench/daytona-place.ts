/** The emulator of Daytona with a latency, Caisson on it, and the official SDK beside it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Handle, openClient } from '../backends/daytona/sdk.ts';
import { CaissonError } from '../src/errors.ts';
import { daytonaImage, startDaytonaHere, whyNoDaytona } from '../test/engines/daytona.ts';
import type { BenchPlace } from './place.ts';

export interface DaytonaPlace {
  readonly caisson: BenchPlace['caisson'];
  readonly task: string;
  /** A sandbox of its own, by the SDK alone. */
  readonly handle: Handle;
}

export async function withDaytonaPlace<T>(roundTripMs: number, work: (place: DaytonaPlace) => Promise<T>): Promise<T> {
  const why = whyNoDaytona();
  if (why !== null) throw new CaissonError('failed_precondition', why);
  const { openCaisson } = await import('../src/main.ts');
  const emulator = await startDaytonaHere();
  const {
    DAYTONA_API_KEY: apiKey = '',
    DAYTONA_API_URL: apiUrl = '',
    DAYTONA_TARGET: target = '',
  } = emulator.environment;
  const home = await mkdtemp(join(tmpdir(), 'caisson-bench-'));
  const flags = { 'terminal.backend': 'daytona', 'terminal.daytona_image': daytonaImage };
  const env = { ...process.env, HOME: home, ...emulator.environment };
  const caisson = await openCaisson({ home, env, cwd: home, flags });
  const client = await openClient({ apiKey, apiUrl, target });
  try {
    const task = 'bench';
    await caisson.sandboxes.create({ taskId: task });
    const handle = await client.create({ image: daytonaImage, language: 'javascript' });
    await emulator.inject({ fault: 'latency', ms: roundTripMs });
    return await work({ caisson, task, handle });
  } finally {
    await emulator.inject({ fault: 'none' });
    await caisson.sandboxes.remove('bench').catch(() => undefined);
    await caisson.close();
    await client[Symbol.asyncDispose]();
    await emulator.close();
    await rm(home, { recursive: true, force: true });
  }
}
