/** A file of kubectl's form, read strictly: which server, whom to trust, who we are. */
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { CaissonError } from '../../src/errors.ts';
import { isRecord } from '../shared/labels.ts';

/** A text in the file itself, or the name of a file. */
export type Source = { readonly text: Buffer } | { readonly file: string };

/** A program of the operator's that answers with a token or a certificate (client.authentication.k8s.io). */
export interface Plugin {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly apiVersion: string;
  /** Directory of the file: relative programs are looked for there. */
  readonly directory: string;
}

export type Login =
  | { readonly by: 'nothing' }
  | { readonly by: 'token'; readonly token: string }
  | { readonly by: 'token-file'; readonly file: string }
  | { readonly by: 'certificate'; readonly certificate: Source; readonly key: Source }
  | { readonly by: 'plugin'; readonly plugin: Plugin }
  /** A login that this transport does not know: `@kubernetes/client-node` may. */
  | { readonly by: 'other'; readonly what: string };

export interface Place {
  /** Name of the context, for people. */
  readonly context: string;
  readonly server: string;
  /** `null`: the authorities of the system. */
  readonly authority: Source | null;
  readonly serverName: string | null;
  readonly namespace: string;
  readonly login: Login;
}

type Fields = Readonly<Record<string, unknown>>;

/** `context`: `null` for the one that the file names. */
export function parseKubeconfig(text: string, path: string, context: string | null): Place {
  const file = new KubeFile(read(text, path), path);
  const name = context ?? file.text(file.root, 'current-context');
  if (name === null)
    throw broken(
      path,
      'it names no current context',
      'set terminal.kubernetes_context, or run `kubectl config use-context`',
    );
  const chosen = file.named('contexts', name, 'context');
  const cluster = file.named('clusters', file.text(chosen, 'cluster') ?? '', 'cluster');
  const user = file.named('users', file.text(chosen, 'user') ?? '', 'user');
  return {
    context: name,
    server: serverOf(file.text(cluster, 'server'), path),
    authority: authorityOf(cluster, file),
    serverName: file.text(cluster, 'tls-server-name'),
    namespace: file.text(chosen, 'namespace') ?? 'default',
    login: loginOf(user, file),
  };
}

function read(text: string, path: string): Fields {
  try {
    const value: unknown = parse(text, { maxAliasCount: 0 });
    if (isRecord(value)) return value;
  } catch (error) {
    throw broken(path, 'it is not YAML', 'mend it; `kubectl config view` shows what is read', error);
  }
  throw broken(path, 'it is empty, or no object', 'mend it; `kubectl config view` shows what is read');
}

class KubeFile {
  readonly root: Fields;
  readonly path: string;

  constructor(root: Fields, path: string) {
    this.root = root;
    this.path = path;
  }

  text(fields: Fields, name: string): string | null {
    const value = fields[name];
    if (value === undefined || value === null || value === '') return null;
    if (typeof value === 'string') return value;
    throw broken(this.path, `${name} is no text`, 'mend it');
  }

  source(fields: Fields, name: string): Source | null {
    const data = this.text(fields, `${name}-data`);
    if (data !== null) return { text: Buffer.from(data, 'base64') };
    const file = this.text(fields, name);
    return file === null ? null : { file: this.resolved(file) };
  }

  resolved(file: string): string {
    return resolve(dirname(this.path), file);
  }

  /** The inner object of the entry `name` in a list of the file. */
  named(list: string, name: string, inner: string): Fields {
    const entries = this.root[list];
    const found: unknown = Array.isArray(entries)
      ? entries.find((each: unknown) => isRecord(each) && each['name'] === name)
      : undefined;
    const value = isRecord(found) ? found[inner] : undefined;
    if (isRecord(value)) return value;
    throw broken(
      this.path,
      `it has no ${inner} ${JSON.stringify(name.slice(0, 100))}`,
      'see `kubectl config get-contexts`',
    );
  }
}

function serverOf(text: string | null, path: string): string {
  const url = text !== null && URL.canParse(text) ? new URL(text) : null;
  // A token would travel in clear.
  if (url?.protocol === 'https:') return text?.replace(/\/+$/, '') ?? '';
  throw broken(
    path,
    'the address of its server does not begin with https://',
    'use the address of the API server with TLS',
  );
}

function authorityOf(cluster: Fields, file: KubeFile): Source | null {
  if (cluster['insecure-skip-tls-verify'] === true)
    throw broken(
      file.path,
      'it switches off the check of who the server is',
      'give certificate-authority instead of insecure-skip-tls-verify',
    );
  return file.source(cluster, 'certificate-authority');
}

function loginOf(user: Fields, file: KubeFile): Login {
  const token = file.text(user, 'token');
  const tokenFile = file.text(user, 'tokenFile');
  const certificate = file.source(user, 'client-certificate');
  const key = file.source(user, 'client-key');
  if (isRecord(user['exec'])) return { by: 'plugin', plugin: pluginOf(user['exec'], file) };
  if (isRecord(user['auth-provider'])) return { by: 'other', what: 'auth-provider' };
  if (typeof user['username'] === 'string') return { by: 'other', what: 'username and password' };
  if (tokenFile !== null) return { by: 'token-file', file: file.resolved(tokenFile) };
  if (token !== null) return { by: 'token', token };
  if (certificate !== null && key !== null) return { by: 'certificate', certificate, key };
  return { by: 'nothing' };
}

function pluginOf(exec: Fields, file: KubeFile): Plugin {
  const command = file.text(exec, 'command');
  const args = listOf(exec['args']);
  const env = listOf(exec['env']);
  if (command === null || !args.every((each) => typeof each === 'string'))
    throw broken(file.path, 'its credential plugin has no command', 'mend users[].user.exec');
  const pairs = env.filter(isRecord).map((each): [string, string] => [String(each['name']), String(each['value'])]);
  return {
    command: [command.includes('/') ? file.resolved(command) : command, ...args],
    env: Object.fromEntries(pairs),
    apiVersion: file.text(exec, 'apiVersion') ?? '',
    directory: dirname(file.path),
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function broken(path: string, what: string, remedy: string, cause?: unknown): CaissonError {
  return new CaissonError('failed_precondition', `the kubeconfig ${path} cannot be used: ${what}`, { cause, remedy });
}
