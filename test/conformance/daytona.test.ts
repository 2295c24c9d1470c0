import { afterAll } from 'vitest';
import { open } from '../../backends/daytona/backend.ts';
import { daytonaImage, startDaytonaHere, whyNoDaytona } from '../engines/daytona.ts';
import { daytonaDeviations } from '../backends/daytona/deviations.ts';
import { core } from './core/all.ts';
import { plainSpec } from './spec.ts';
import { testBackend } from './suite.ts';

const why = whyNoDaytona();
const daytona = why === null ? await startDaytonaHere() : null;
afterAll(() => daytona?.close());

await testBackend(
  {
    name: 'daytona',
    open: (instance) => open({ env: daytona?.environment ?? {}, instance, settings: { max_sandboxes: null } }),
    spec: plainSpec('daytona', { image: daytonaImage, cwd: '/workspace', persistent: false }),
    unavailable: why,
    deviations: daytonaDeviations,
  },
  core,
);
