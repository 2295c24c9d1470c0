import { open } from '../../backends/docker/backend.ts';
import { dockerHost } from '../engines/docker.ts';
import { core } from './core/all.ts';
import { plainSpec } from './spec.ts';
import { testBackend } from './suite.ts';

const host = dockerHost();

await testBackend(
  {
    name: 'docker',
    open: (instance) => open({ env: { ...process.env, DOCKER_HOST: host ?? '' }, instance }),
    spec: plainSpec('docker', { image: 'caisson-test/busybox:latest', cwd: '/workspace', persistent: false }),
    unavailable: host === null ? 'no Docker engine' : null,
  },
  core,
);
