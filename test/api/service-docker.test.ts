import { dockerHome, unavailable } from './subjects/docker.ts';
import { serviceDeviations } from './subjects/deviations.ts';
import { throughService } from './subjects/service.ts';
import { apiSuite } from './suite.ts';

apiSuite({
  name: 'through a service on docker',
  backend: 'docker',
  hasStats: true,
  hasTerminals: true,
  isContained: true,
  placeOnly: true,
  unavailable,
  deviations: serviceDeviations,
  open: async (settings) => await throughService(dockerHome(settings)),
});
