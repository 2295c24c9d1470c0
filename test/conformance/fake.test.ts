import { afterAll, expect } from 'vitest';
import { fakeBackend } from '../fixtures/fake-backend/backend.ts';
import { FakePlace } from '../fixtures/fake-backend/place.ts';
import { run } from './command.ts';
import { core } from './core/all.ts';
import { plainSpec } from './spec.ts';
import { testBackend } from './suite.ts';

const place = new FakePlace();
afterAll(() => place.dispose());

await testBackend(
  {
    name: 'fake',
    open: () => fakeBackend({ place, facets: { init: true } }),
    spec: plainSpec('fake', { cwd: '/workspace', persistent: false }),
    deviations: {
      'cwd.default': {
        reason: 'a private directory of this host stands in for the cwd of the spec',
        instead: async (tested) => {
          const { stdout } = await run(await tested.sandbox(), ['pwd'], { cwd: '/workspace' });
          expect(stdout.toString()).toMatch(/\/caisson-fake-[^/]+\n$/);
        },
      },
    },
  },
  core,
);
