import { afterAll } from 'vitest';
import { open } from '../../backends/ssh/backend.ts';
import { startSshd, whyNoSshd } from '../engines/sshd.ts';
import { core } from './core/all.ts';
import { plainSpec } from './spec.ts';
import { testBackend } from './suite.ts';

const why = whyNoSshd();
const sshd = why === null ? await startSshd() : null;
afterAll(() => sshd?.stop());

await testBackend(
  {
    name: 'ssh',
    open: (instance) => open({ env: sshd?.env ?? {}, instance, settings: sshd?.settings ?? {} }),
    spec: plainSpec('ssh', { cwd: sshd?.home ?? '/', persistent: true }),
    unavailable: why,
  },
  core,
);
