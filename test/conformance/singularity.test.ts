import { afterAll } from 'vitest';
import { open } from '../../backends/singularity/backend.ts';
import { startApptainer, whyNoApptainer } from '../engines/apptainer.ts';
import { core } from './core/all.ts';
import { plainSpec } from './spec.ts';
import { testBackend } from './suite.ts';

const why = whyNoApptainer();
const apptainer = why === null ? await startApptainer() : null;
afterAll(() => apptainer?.remove());

await testBackend(
  {
    name: 'singularity',
    open: (instance) => open({ env: apptainer?.env ?? {}, instance, settings: apptainer?.settings ?? {} }),
    spec: plainSpec('singularity', { image: apptainer?.busybox ?? '', cwd: '/workspace', persistent: false }),
    unavailable: why,
  },
  core,
);
