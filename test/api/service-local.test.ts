import { homeFor } from './subjects/embedded.ts';
import { serviceDeviations } from './subjects/deviations.ts';
import { throughService } from './subjects/service.ts';
import { apiSuite } from './suite.ts';

apiSuite({
  name: 'through a service on local',
  backend: 'local',
  hasStats: false,
  hasTerminals: false,
  isContained: false,
  deviations: serviceDeviations,
  open: async (settings) => await throughService(homeFor('{backend: local}', {}, settings)),
});
