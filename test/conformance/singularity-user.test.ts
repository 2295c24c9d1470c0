/** Singularity for an ordinary user, who may neither mount nor set limits: this process gives up being root. */
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
    // The configuration's default is the built-in filter.
    spec: { ...plain, hardening: { ...plain.hardening, seccomp: 'builtin' } },
    unavailable: why,
  },
  core,
);
