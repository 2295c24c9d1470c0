/** A sandbox of the emulator, and names and labels for it. */
import { randomBytes } from 'node:crypto';
import type { Backend, CreateOptions } from '../../../src/backend.ts';
import { open } from '../../../backends/daytona/backend.ts';
import type { DaytonaEmulator } from '../../../emulators/daytona/emulator.ts';
import { plainSpec } from '../../conformance/spec.ts';
import { daytonaImage } from '../../engines/daytona.ts';

export const instance = 'daytona-tests';
export const spec = plainSpec('daytona', { image: daytonaImage, cwd: '/workspace', persistent: true });

export function backendOn(
  { environment }: Pick<DaytonaEmulator, 'environment'>,
  settings: Readonly<Record<string, unknown>> = {},
): Backend {
  return open({ env: environment, instance, settings: { max_sandboxes: null, ...settings } });
}

export function options(id = randomBytes(6).toString('hex')): CreateOptions {
  const created = new Date().toISOString();
  return {
    name: `caisson-${id}`,
    labels: { instance, sandbox: `sbx_${id}`, task: `task-${id}`, fingerprint: 'f1', created, schema: '1' },
    directory: null,
    credentials: null,
    init: ['sh'],
  };
}
