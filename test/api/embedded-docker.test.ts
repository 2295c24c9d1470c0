import { dockerHome, unavailable } from './subjects/docker.ts';
import { embedded } from './subjects/embedded.ts';
import { apiSuite } from './suite.ts';

apiSuite({
  name: 'embedded on docker',
  backend: 'docker',
  hasStats: true,
  hasTerminals: true,
  isContained: true,
  placeOnly: true,
  unavailable,
  open: async (settings) => await Promise.resolve(embedded(dockerHome(settings))),
});
