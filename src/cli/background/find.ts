/** The service of a state directory, as its files and its socket say. */
import { request } from 'node:http';
import { CaissonError } from '../../errors.ts';
import type { ServiceState } from '../../http/serve.ts';
import type { Pending } from '../../service/api.ts';
import { version } from '../../lib/build.ts';
import { isServiceAlive, readServiceRecord, type ServiceRecord } from '../../lib/service-record.ts';
import { given } from '../../lib/given.ts';

/** It answers in milliseconds. */
const timeoutMs = 5000;
/** The configuration file may be long, and all of it may be new. */
const maxBytes = 4 * 1024 * 1024;

/** `null`: no service runs. The record that a killed service has left does not count. */
export function runningIn(home: string): ServiceRecord | null {
  const record = readServiceRecord(home);
  return record !== null && isServiceAlive(record) ? record : null;
}

/** What it says of itself. Throws `unavailable` where it lives and does not answer. */
export async function stateOf(record: ServiceRecord): Promise<ServiceState> {
  const { execs, streams, idleSince, flags, pending } = await said(record).catch((cause: unknown) => {
    throw silentServiceError(record, cause);
  });
  return {
    execs: Number(execs),
    streams: Number(streams),
    idleSince: typeof idleSince === 'string' ? idleSince : null,
    flags: Object.fromEntries(Object.entries(fieldsOf(flags)).map(([name, value]) => [name, String(value)])),
    pending: pendingIn(fieldsOf(pending)),
  };
}

function pendingIn({ holds, loosens, reload, restart, problem }: Readonly<Record<string, unknown>>): Pending {
  const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
  return {
    holds: texts(holds),
    loosens: texts(loosens),
    reload: texts(reload),
    restart: texts(restart),
    problem: typeof problem === 'string' ? problem : null,
  };
}

async function said(record: ServiceRecord): Promise<Readonly<Record<string, unknown>>> {
  const { status, text } = await ask(record);
  if (status !== 200) throw new Error(`status ${status}`);
  return fieldsOf(JSON.parse(text));
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** Throws `failed_precondition`: what one version says may mean something else in another. */
export function checkVersion(record: Pick<ServiceRecord, 'version'>): void {
  const own = version();
  if (record.version === own) return;
  throw new CaissonError('failed_precondition', `a service of version ${record.version} runs, and this is ${own}`, {
    remedy: 'caisson service stop, and start it again',
    details: { service: record.version, own },
  });
}

function silentServiceError({ pid }: ServiceRecord, cause?: unknown): CaissonError {
  return new CaissonError('unavailable', `the service (process ${pid}) lives and does not answer`, {
    ...given({ cause }),
    remedy: 'see caisson service logs; caisson service stop ends it',
    details: { pid },
  });
}

function ask({ socket, token }: ServiceRecord): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((done, reject) => {
    const headers = { host: 'localhost', authorization: `Bearer ${token}`, connection: 'close' };
    const sent = request({ socketPath: socket, path: '/service', headers, signal: AbortSignal.timeout(timeoutMs) });
    sent.once('error', reject).once('response', (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.length > maxBytes) sent.destroy(new Error('too long an answer'));
      });
      response.once('error', reject);
      response.once('end', () => done({ status: response.statusCode ?? 0, text }));
    });
    sent.end();
  });
}
