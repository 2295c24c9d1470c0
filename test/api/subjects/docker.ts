/** Sandboxes on the engine of the run, in an image that has bash. */
import { dockerHost } from '../../engines/docker.ts';
import { type Home, homeFor } from './embedded.ts';

const host = dockerHost();

export const unavailable = host === null ? 'no engine runs here' : null;

export function dockerHome(settings: string): Home {
  const env = { DOCKER_HOST: host ?? '', CAISSON_TERMINAL_DOCKER_IMAGE: 'caisson-test/debian:latest' };
  return homeFor('{backend: docker}', env, settings);
}
