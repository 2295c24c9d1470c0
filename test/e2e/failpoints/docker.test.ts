import { failpoints } from './suite.ts';

failpoints({
  backend: 'docker',
  isThere: true,
  open: async () => ({ settings: {}, env: {} }),
  close: () => undefined,
});
