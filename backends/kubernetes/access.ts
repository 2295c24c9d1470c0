/** The way to the cluster and the login there: from a kubeconfig, or from the account of the pod that Caisson runs in. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { OpenOptions } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { type Login, parseKubeconfig, type Place, type Source } from './kubeconfig.ts';
import { type Credential, credentialOf } from './plugin.ts';
import type { Settings } from './settings.ts';

const accountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount';
/** A token in a file is replaced there before it ends. */
const tokenFileMs = 60_000;

/** Credentials with which this client shows who it is: headers, or a certificate with its key. */
export interface Identity {
  readonly headers: Readonly<Record<string, string>>;
  readonly certificate: Buffer | null;
  readonly key: Buffer | null;
}

export class Access {
  readonly place: Place;
  readonly authority: Buffer | null;
  readonly #env: OpenOptions['env'];
  #kept: { readonly identity: Identity; readonly until: number } | null = null;
  #asking: Promise<Identity> | null = null;

  constructor(place: Place, authority: Buffer | null, env: OpenOptions['env']) {
    this.place = place;
    this.authority = authority;
    this.#env = env;
  }

  async identity(): Promise<Identity> {
    if (this.#kept !== null && Date.now() < this.#kept.until) return this.#kept.identity;
    this.#asking ??= this.#ask().finally(() => (this.#asking = null));
    return await this.#asking;
  }

  /** The server has refused the login: it is asked for anew. */
  forget(): void {
    if (this.place.login.by === 'plugin' || this.place.login.by === 'token-file') this.#kept = null;
  }

  async #ask(): Promise<Identity> {
    const { token, certificate, until } = await credential(this.place.login, this.#env);
    const identity = {
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
      certificate: certificate?.certificate ?? null,
      key: certificate?.key ?? null,
    };
    this.#kept = { identity, until };
    return identity;
  }
}

async function credential(login: Login, env: OpenOptions['env']): Promise<Credential> {
  const nothing = { token: null, certificate: null, until: Infinity };
  if (login.by === 'token') return { ...nothing, token: login.token };
  if (login.by === 'token-file')
    return { ...nothing, token: (await fileText(login.file)).trim(), until: Date.now() + tokenFileMs };
  if (login.by === 'certificate') {
    const [certificate, key] = await Promise.all([bytesOf(login.certificate), bytesOf(login.key)]);
    return { ...nothing, certificate: { certificate, key } };
  }
  if (login.by === 'plugin') return await credentialOf(login.plugin, env);
  if (login.by === 'nothing') return nothing;
  throw new CaissonError('failed_precondition', `the kubeconfig logs in by ${login.what}, which is not known`, {
    remedy: 'use a token, a client certificate or a credential plugin (users[].user.exec)',
  });
}

/** `kubernetes_kubeconfig`, KUBECONFIG, the pod's own account, ~/.kube/config: the first one that is there. */
export async function openAccess({ env }: OpenOptions, settings: Settings): Promise<Access> {
  const named = settings.kubeconfig ?? firstOf(env['KUBECONFIG']);
  const inCluster = named === null && Boolean(env['KUBERNETES_SERVICE_HOST']);
  const place = inCluster
    ? await podsOwn(env)
    : await fromFile(named ?? join(env['HOME'] ?? homedir(), '.kube/config'), settings);
  const authority = place.authority === null ? null : await bytesOf(place.authority);
  return new Access({ ...place, namespace: settings.namespace ?? place.namespace }, authority, env);
}

async function fromFile(path: string, { context }: Settings): Promise<Place> {
  return parseKubeconfig(await fileText(path), path, context);
}

async function podsOwn(env: OpenOptions['env']): Promise<Place> {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  return {
    context: 'in-cluster',
    server: `https://${host.includes(':') ? `[${host}]` : host}:${env['KUBERNETES_SERVICE_PORT'] || '443'}`,
    authority: { file: join(accountDirectory, 'ca.crt') },
    serverName: null,
    namespace: (await fileText(join(accountDirectory, 'namespace'))).trim(),
    login: { by: 'token-file', file: join(accountDirectory, 'token') },
  };
}

function firstOf(paths: string | undefined): string | null {
  return paths?.split(delimiter).find((path) => path !== '') ?? null;
}

async function bytesOf(source: Source): Promise<Buffer> {
  return 'text' in source ? source.text : Buffer.from(await fileText(source.file));
}

async function fileText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new CaissonError('failed_precondition', `there is no way to a cluster: ${path} cannot be read`, {
      cause: error,
      remedy: 'set terminal.kubernetes_kubeconfig or KUBECONFIG to the file that kubectl uses',
    });
  }
}
