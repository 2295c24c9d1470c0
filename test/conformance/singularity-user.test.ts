/** The same as an ordinary user has it, who may neither mount nor set limits: this process gives up being root. */
import { afterAll } from 'vitest';
import { open } from '../../backends/singularity/backend.ts';
import { becomeNobody, startApptainer, whyNoApptainer } from '../engines/apptainer.ts';
import { core } from './core/all.ts';
import { plainSpec } from './spec.ts';
import { testBackend } from './suite.ts';

const why = whyNoApptainer();
const apptainer = why === null ? await startApptainer() : null;
if (apptainer !== null) becomeNobody(apptainer);
afterAll(() => apptainer?.remove());

const plain = plainSpec('singularity', { image: apptainer?.busybox ?? '', cwd: '/workspace', persistent: false });

await testBackend(
  {
    name: 'singularity-user',
    open: (instance) => open({ env: apptainer?.env ?? {}, instance, settings: apptainer?.settings ?? {} }),
    // As the configuration has it by default.
    spec: { ...plain, hardening: { ...plain.hardening, seccomp: 'builtin' } },
    unavailable: why,
  },
  core,
);
