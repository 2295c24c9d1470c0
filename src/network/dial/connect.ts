/** Connections of HTTP to addresses that were judged a moment before: no second lookup lies between verdict and connection. */
import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { hostOf } from '../address/url.ts';
import { maxAttempts, type Reach } from './reach.ts';
import { given } from '../../lib/given.ts';

export interface DialInput {
  /** Throws for a URL that may not be connected to. */
  readonly vet: (url: URL) => Promise<readonly string[]>;
  readonly connectTimeoutMs: number;
  readonly reach: Reach;
  /** Certificates of further authorities, as PEM. */
  readonly ca?: string;
}

export function vettedConnector({ vet, connectTimeoutMs, reach, ca }: DialInput): buildConnector.connector {
  const connect = buildConnector({ timeout: connectTimeoutMs, allowH2: false, ...given({ ca }) });
  const open = async (options: buildConnector.Options): Promise<Socket> => {
    const url = urlOf(options);
    let failure: unknown;
    for (const address of (await vet(url)).slice(0, maxAttempts))
      try {
        const to = reach(address, hostOf(url).port);
        return await opened(connect, { ...options, hostname: to.address, port: String(to.port) });
      } catch (error) {
        failure = error;
      }
    throw failure;
  };
  return (options, callback) => void settle(open(options), callback);
}

async function settle(opening: Promise<Socket>, callback: buildConnector.Callback): Promise<void> {
  const outcome = await opening.catch((error: unknown) => toError(error));
  if (outcome instanceof Error) callback(outcome, null);
  else callback(null, outcome);
}

const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error('there is no connection', { cause: error });

/** The name for TLS stays that of the URL: it is taken from `host`, which nothing here changes. */
function opened(connect: buildConnector.connector, options: buildConnector.Options): Promise<Socket> {
  return new Promise((resolve, reject) => {
    connect(options, (...[error, socket]) => (error === null ? resolve(socket) : reject(error)));
  });
}

function urlOf({ protocol, hostname, port }: buildConnector.Options): URL {
  const host = hostname.includes(':') ? `[${hostname.replace(/^\[|\]$/g, '')}]` : hostname;
  return new URL(`${protocol}//${host}${port === '' ? '' : `:${port}`}/`);
}
