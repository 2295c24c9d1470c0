import { afterAll } from 'vitest';
import { open } from '../../backends/kubernetes/backend.ts';
import { kubernetesDeviations } from '../backends/kubernetes/deviations.ts';
import { kubernetesImage, startKubernetes, whyNoKubernetes } from '../engines/kubernetes.ts';
import { core } from './core/all.ts';
import { plainSpec } from './spec.ts';
import { testBackend } from './suite.ts';

const why = whyNoKubernetes();
const cluster = why === null ? await startKubernetes() : null;
afterAll(() => cluster?.stop());

await testBackend(
  {
    name: 'kubernetes',
    open: (instance) =>
      open({
        env: { ...process.env, KUBECONFIG: cluster?.kubeconfig },
        instance,
        settings: { init_image: kubernetesImage, policy_canary: false },
      }),
    spec: plainSpec('kubernetes', { image: kubernetesImage, cwd: '/workspace', persistent: true }),
    unavailable: why,
    deviations: kubernetesDeviations,
  },
  core,
);
