/** The official SDK, loaded when the backend is first used. */
import type * as Modal from 'modal';
import { CaissonError } from '../../src/errors.ts';
import { systemCode } from '../shared/system-fault.ts';

export type Sdk = typeof Modal;
export type Client = InstanceType<Sdk['ModalClient']>;
export type App = Awaited<ReturnType<Client['apps']['fromName']>>;
export type Handle = InstanceType<Sdk['Sandbox']>;

export type Env = Readonly<Record<string, string | undefined>>;

/** What the SDK reads from the environment of this process, once or whenever a client is made. */
const read = ['MODAL_CONFIG_PATH', 'MODAL_PROFILE', 'MODAL_SERVER_URL', 'MODAL_ENVIRONMENT'] as const;

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
/** Longest wait that a throttled call is sent into by the service. */
const maxThrottleSeconds = 30;

/** Throws `failed_precondition` with the command that installs it. */
export async function loadSdk(env: Env): Promise<Sdk> {
  try {
    return await within(env, () => import('modal'));
  } catch (error) {
    if (!['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(systemCode(error) ?? '')) throw error;
    throw new CaissonError('failed_precondition', 'the SDK of Modal is not installed', {
      cause: error,
      remedy: 'npm install modal@0.11.1 (another version may speak another protocol)',
    });
  }
}

/** Throws `failed_precondition` for an address to which credentials would travel in the clear. */
export function connect(sdk: Sdk, env: Env): Client {
  const [tokenId, tokenSecret] = [env['MODAL_TOKEN_ID'], env['MODAL_TOKEN_SECRET']];
  const credentials = tokenId === undefined || tokenSecret === undefined ? {} : { tokenId, tokenSecret };
  const client = within(
    env,
    () => new sdk.ModalClient({ ...credentials, logger: quiet, maxThrottleWaitSecs: maxThrottleSeconds }),
  );
  refusePlain(client.profile.serverUrl);
  if ((client.profile.tokenId ?? client.profile.oauthRefreshToken) === undefined && tokenId === undefined)
    throw new CaissonError('unauthenticated', 'there are no credentials of Modal', {
      remedy: 'set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET, or run `modal token set`',
    });
  return client;
}

/** The variables are those of this process while `work` runs, up to its first await. */
function within<T>(env: Env, work: () => T): T {
  const before = read.map((name) => [name, process.env[name]] as const);
  for (const name of read) put(name, env[name]);
  try {
    return work();
  } finally {
    for (const [name, value] of before) put(name, value);
  }
}

function put(name: string, value: string | undefined): void {
  if (value === undefined) Reflect.deleteProperty(process.env, name);
  else process.env[name] = value;
}

const loopback = new Set(['127.0.0.1', 'localhost', '[::1]']);

function refusePlain(address: string): void {
  const url = URL.parse(address);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback.has(url.hostname))) return;
  throw new CaissonError('failed_precondition', 'credentials of Modal travel by https alone, except to this machine', {
    details: { host: url?.host ?? null },
    remedy: 'correct MODAL_SERVER_URL, or server_url in ~/.modal.toml',
  });
}
