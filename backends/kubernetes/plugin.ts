/** Runs a credential plugin. Program and arguments come from the operator's file alone; what it prints is a secret. */
import { CaissonError } from '../../src/errors.ts';
import { programEnv, runProgram } from '../../src/lib/run-program.ts';
import { isRecord, parseJson } from '../shared/labels.ts';
import type { Plugin } from './kubeconfig.ts';

const timeoutMs = 30_000;
/** Without a time of its own a credential is asked for again after so long. */
const usualLifeMs = 5 * 60_000;
const marginMs = 30_000;

export interface Credential {
  readonly token: string | null;
  readonly certificate: { readonly certificate: Buffer; readonly key: Buffer } | null;
  /** When another one is to be asked for, in milliseconds since 1970. */
  readonly until: number;
}

export async function credentialOf(
  plugin: Plugin,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Credential> {
  const info = { apiVersion: plugin.apiVersion, kind: 'ExecCredential', spec: { interactive: false } };
  const end = await runProgram({
    command: plugin.command,
    cwd: plugin.directory,
    env: { ...programEnv(env), ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
    input: '',
    timeoutMs,
  });
  if (end.kind === 'failed') throw failed(plugin, end.missing ? 'it is not installed' : end.reason);
  if (end.exitCode !== 0) throw failed(plugin, `it ended with ${end.exitCode}`);
  return read(parseJson(end.stdout)) ?? fail(plugin);
}

/** `null`: no credential. */
export function read(said: unknown, now: number = Date.now()): Credential | null {
  const status = isRecord(said) && said['kind'] === 'ExecCredential' ? said['status'] : null;
  if (!isRecord(status)) return null;
  const text = (name: string): string | null => {
    const value = status[name];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const [token, certificate, key] = [text('token'), text('clientCertificateData'), text('clientKeyData')];
  if (token !== null && /[^\x21-\x7e]/.test(token)) return null;
  if (token === null && (certificate === null || key === null)) return null;
  const ends = Date.parse(text('expirationTimestamp') ?? '');
  return {
    token,
    certificate:
      certificate === null || key === null ? null : { certificate: Buffer.from(certificate), key: Buffer.from(key) },
    until: Number.isNaN(ends) ? now + usualLifeMs : ends - marginMs,
  };
}

function fail(plugin: Plugin): never {
  throw failed(plugin, 'what it prints is no ExecCredential with a token or a certificate');
}

/** Neither its output nor its arguments: both may hold secrets. */
function failed({ command }: Plugin, why: string): CaissonError {
  return new CaissonError('unauthenticated', `the credential plugin ${command[0]} gives no login: ${why}`, {
    details: { program: command[0] },
    remedy: 'see whether `kubectl get pods` works with the same kubeconfig, and log in with the tool of your cloud',
  });
}
