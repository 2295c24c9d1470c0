import { embedded, homeFor } from './subjects/embedded.ts';
import { apiSuite } from './suite.ts';

apiSuite({
  name: 'embedded on local',
  backend: 'local',
  hasStats: false,
  hasTerminals: false,
  isContained: false,
  open: async (settings) => await Promise.resolve(embedded(homeFor('{backend: local}', {}, settings))),
});
