/** Finds the address of the engine, from the same variables as the docker command line. */
import { CaissonError } from '../../../src/errors.ts';

export type Endpoint =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tls'; readonly host: string; readonly port: number; readonly certificates: string };

export type Environment = Readonly<Record<string, string | undefined>>;

/** In the order in which they are tried when DOCKER_HOST is not set. */
export function defaultSockets(env: Environment): readonly string[] {
  const runtime = env['XDG_RUNTIME_DIR'];
  const home = env['HOME'];
  return [
    '/var/run/docker.sock',
    ...(runtime ? [`${runtime}/docker.sock`] : []),
    ...(home ? [`${home}/.docker/run/docker.sock`] : []),
    '/run/podman/podman.sock',
    ...(runtime ? [`${runtime}/podman/podman.sock`] : []),
  ];
}

/**
 * `exists` tells whether a path is there. When nothing is, the first default is named, so that the error of the first
 * call says where an engine was looked for. Throws `failed_precondition` for a way that is not safe or not spoken here.
 */
export function findEndpoint(env: Environment, exists: (path: string) => boolean): Endpoint {
  const host = env['DOCKER_HOST'];
  if (!host) {
    const sockets = defaultSockets(env);
    return { kind: 'unix', path: sockets.find(exists) ?? '/var/run/docker.sock' };
  }
  if (host.startsWith('unix://')) return unixEndpoint(host.slice('unix://'.length));
  if (host.startsWith('ssh://')) {
    throw endpointError(
      'DOCKER_HOST names an ssh:// engine, which is not supported',
      'Forward its socket (ssh -L /path/docker.sock:/var/run/docker.sock HOST) and set DOCKER_HOST=unix:///path/docker.sock.',
    );
  }
  return tlsEndpoint(host, env);
}

/** For messages: never holds a secret. */
export function endpointName(endpoint: Endpoint): string {
  return endpoint.kind === 'unix' ? endpoint.path : `${endpoint.host}:${endpoint.port}`;
}

function unixEndpoint(path: string): Endpoint {
  if (!path.startsWith('/'))
    throw endpointError(
      'DOCKER_HOST names a socket that is not an absolute path',
      'Set DOCKER_HOST=unix:///var/run/docker.sock.',
    );
  return { kind: 'unix', path };
}

function tlsEndpoint(host: string, env: Environment): Endpoint {
  const url = parseUrl(host);
  if (!url || !['tcp:', 'https:'].includes(url.protocol) || url.hostname === '') {
    throw endpointError(
      'DOCKER_HOST is neither unix:///path nor tcp://host:port',
      'Set it to the socket of the engine, for example unix:///var/run/docker.sock.',
    );
  }
  if (!env['DOCKER_TLS_VERIFY']) {
    // A user who can reach an engine over plain TCP is root on its host.
    throw endpointError(
      'an engine over TCP is only used with verified TLS',
      'Set DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH to the directory of ca.pem, cert.pem and key.pem.',
    );
  }
  const certificates = env['DOCKER_CERT_PATH'] || (env['HOME'] ? `${env['HOME']}/.docker` : null);
  if (!certificates)
    throw endpointError('DOCKER_CERT_PATH is not set', 'Set it to the directory of ca.pem, cert.pem and key.pem.');
  return {
    kind: 'tls',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 2376 : Number(url.port),
    certificates,
  };
}

function parseUrl(value: string): URL | null {
  return URL.canParse(value) ? new URL(value) : null;
}

function endpointError(message: string, remedy: string): CaissonError {
  return new CaissonError('failed_precondition', message, { remedy });
}
