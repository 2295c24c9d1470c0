import { describe, expect, test } from 'vitest';
import { endpointName, findEndpoint } from '../../../../backends/docker/engine/connection.ts';

const nothing = (): boolean => false;
const only =
  (path: string) =>
  (asked: string): boolean =>
    asked === path;

describe('the endpoint of the engine', () => {
  test('is the socket that DOCKER_HOST names', () => {
    expect(findEndpoint({ DOCKER_HOST: 'unix:///run/x.sock' }, nothing)).toEqual({ kind: 'unix', path: '/run/x.sock' });
  });

  test.each([
    '/var/run/docker.sock',
    '/run/user/7/docker.sock',
    '/home/u/.docker/run/docker.sock',
    '/run/podman/podman.sock',
    '/run/user/7/podman/podman.sock',
  ])('is %s when only that is there', (path) => {
    expect(findEndpoint({ XDG_RUNTIME_DIR: '/run/user/7', HOME: '/home/u' }, only(path))).toEqual({
      kind: 'unix',
      path,
    });
  });

  test('prefers Docker to Podman', () => {
    expect(findEndpoint({}, () => true)).toEqual({ kind: 'unix', path: '/var/run/docker.sock' });
  });

  test('is the usual socket when nothing is there, so that the first call can say so', () => {
    expect(findEndpoint({}, nothing)).toEqual({ kind: 'unix', path: '/var/run/docker.sock' });
  });

  test('is TCP with verified TLS', () => {
    const env = { DOCKER_HOST: 'tcp://engine.example:2377', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: '/certs' };
    expect(findEndpoint(env, nothing)).toEqual({
      kind: 'tls',
      host: 'engine.example',
      port: 2377,
      certificates: '/certs',
    });
  });

  test('has port 2376 and certificates in the home directory by default', () => {
    const endpoint = findEndpoint({ DOCKER_HOST: 'tcp://[fd00::1]', DOCKER_TLS_VERIFY: '1', HOME: '/home/u' }, nothing);
    expect(endpoint).toEqual({ kind: 'tls', host: 'fd00::1', port: 2376, certificates: '/home/u/.docker' });
    expect(endpointName(endpoint)).toBe('fd00::1:2376');
  });

  test.each([
    ['TCP without TLS', { DOCKER_HOST: 'tcp://127.0.0.1:2375' }, /DOCKER_TLS_VERIFY/],
    ['plain HTTP', { DOCKER_HOST: 'http://127.0.0.1:2375', DOCKER_TLS_VERIFY: '1' }, /socket/],
    [
      'TCP with TLS switched off by an empty value',
      { DOCKER_HOST: 'tcp://h:2376', DOCKER_TLS_VERIFY: '' },
      /DOCKER_TLS_VERIFY/,
    ],
    ['ssh', { DOCKER_HOST: 'ssh://u@h' }, /ssh -L/],
    ['a relative socket', { DOCKER_HOST: 'unix://docker.sock' }, /unix:\/\/\//],
    ['a named pipe', { DOCKER_HOST: 'npipe:////./pipe/docker_engine' }, /socket/],
    ['a bare word', { DOCKER_HOST: 'engine' }, /socket/],
    ['no certificates', { DOCKER_HOST: 'tcp://h', DOCKER_TLS_VERIFY: '1' }, /ca\.pem/],
  ])('refuses %s and says what to do', (_what, env, remedy) => {
    expect(() => findEndpoint(env, nothing)).toThrow(
      expect.objectContaining({ code: 'failed_precondition', remedy: expect.stringMatching(remedy) }),
    );
  });
});
