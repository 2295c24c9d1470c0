/** Logs in to a host, over every host on the way: each must show a key that is known of it. */
import type { Client, ConnectConfig } from 'ssh2';
import { connectError } from './fault.ts';
import { type HostKeys, openHostKeys } from './host-keys.ts';
import type { Keyring, Method } from './identity.ts';
import { takeInKeys } from './key-objects.ts';
import type { Target } from './target.ts';
import { type Wire, wireOf, wireOver, wireStraightTo } from './wire.ts';

const readyTimeoutMs = 20_000;

export async function logIn(target: Target, keyring: Keyring): Promise<Client> {
  const [hostKeys, authHandler] = await Promise.all([openHostKeys(target), keyring.methodsFor(target)]);
  return await greet(target, { hostKeys, authHandler, wire: await wireTo(target, keyring) });
}

export async function wireTo(target: Target, keyring: Keyring): Promise<Wire> {
  const { route } = target;
  if (route.kind === 'direct') return wireStraightTo(target);
  if (route.kind === 'command') return wireOf(route);
  return await wireOver(await logIn(route.over, keyring), route.over, target);
}

interface Greeting {
  readonly hostKeys: HostKeys;
  readonly authHandler: Method[];
  readonly wire: Wire;
}

/** Resolves when the host has let us in. On failure nothing stays open. */
export async function greet(target: Target, { hostKeys, authHandler, wire }: Greeting): Promise<Client> {
  const { default: ssh2 } = await import('ssh2');
  const client = new ssh2.Client();
  const { promise, resolve, reject } = Promise.withResolvers<Client>();
  const fail = (error: unknown): void => {
    client.destroy();
    wire.close();
    reject(hostKeys.refusal ?? connectError(error, target.label));
  };
  // It stays: the end of the connection reports a later fault, and an error without a listener ends the service.
  client.on('error', fail);
  client.once('close', () => fail(wire.stream.errored));
  // Small packets go out at once: without it, each exec waits for two delayed acknowledgements.
  client.once('connect', () => client.setNoDelay(true));
  // Also after each later exchange of keys.
  client.on('handshake', () => takeInKeys(client));
  client.once('ready', () => resolve(client));
  client.connect({ ...configFor(target, hostKeys), authHandler, sock: wire.stream });
  return await promise;
}

/** No forwarding of agent, X11 or ports: ssh2 does none unless asked. SHA-1 and CBC are left out. */
function configFor(target: Target, hostKeys: HostKeys): ConnectConfig {
  return {
    host: target.host,
    port: target.port,
    username: target.user,
    readyTimeout: readyTimeoutMs,
    keepaliveInterval: target.alive.intervalMs,
    keepaliveCountMax: target.alive.count,
    hostVerifier: (key: Buffer) => hostKeys.accepts(key),
    algorithms: {
      serverHostKey: [...hostKeys.algorithms],
      kex: [
        'curve25519-sha256',
        'curve25519-sha256@libssh.org',
        'ecdh-sha2-nistp256',
        'ecdh-sha2-nistp384',
        'ecdh-sha2-nistp521',
        'diffie-hellman-group-exchange-sha256',
        'diffie-hellman-group16-sha512',
        'diffie-hellman-group18-sha512',
        'diffie-hellman-group14-sha256',
      ],
      // GCM needs no second pass over the data for its MAC.
      cipher: [
        'aes128-gcm@openssh.com',
        'aes256-gcm@openssh.com',
        'aes128-ctr',
        'aes256-ctr',
        'chacha20-poly1305@openssh.com',
      ],
      hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
    },
  };
}
