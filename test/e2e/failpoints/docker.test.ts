import { failpoints } from './suite.ts';

failpoints({
  backend: 'docker',
  isSampled: true,
  hasPool: true,
  isThere: true,
  open: async () => ({ settings: {}, env: {} }),
  close: () => undefined,
});
