import { failpoints } from './suite.ts';

failpoints({
  backend: 'docker',
  hasPool: true,
  isThere: true,
  open: async () => ({ settings: {}, env: {} }),
  close: () => undefined,
});
