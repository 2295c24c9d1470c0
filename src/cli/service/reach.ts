/** Reaches the service that a state directory names, or finds that it is gone. */
import { CaissonError } from '../../errors.ts';
import { version } from '../../lib/build.ts';
import { isServiceAlive, readServiceRecord, type ServiceRecord } from '../../lib/service-record.ts';
import { unixTransport, type UnixTransport } from '../../client/unix/transport.ts';

export interface Reached {
  readonly record: ServiceRecord;
  readonly transport: UnixTransport;
}

/** A service that starts or ends has its record a moment before, or after, it has its socket. */
const settlingMs = 2000;
const lookMs = 50;

/**
 * `null`: its process is gone, or it is ending. Throws `unavailable` where it lives and does not listen, and
 * `failed_precondition` where it is of another version.
 */
export async function reach(home: string): Promise<Reached | null> {
  const deadline = Date.now() + settlingMs;
  for (;;) {
    // Those who stop remove it first.
    const record = readServiceRecord(home);
    if (record === null) return null;
    const transport = unixTransport(record.socket);
    try {
      await transport.connect();
      checkVersion(record);
      return { record, transport };
    } catch (error) {
      if (!(error instanceof CaissonError) || error.code !== 'unavailable') throw error;
      if (!isServiceAlive(record)) return null;
      if (Date.now() > deadline) throw silent(record, error);
      await new Promise((done) => setTimeout(done, lookMs));
    }
  }
}

function checkVersion(record: ServiceRecord): void {
  const own = version();
  if (record.version === own) return;
  throw new CaissonError(
    'failed_precondition',
    `the service has version ${record.version}, and this is version ${own}`,
    {
      details: { service: record.version, own },
      remedy: 'caisson service stop, and start it again with this version; or add --embedded, which goes without it',
    },
  );
}

/** It may hold what this command would need: a second process beside it would hide that. */
export function silent({ pid }: Pick<ServiceRecord, 'pid'>, cause?: unknown): CaissonError {
  return new CaissonError('unavailable', `the service (process ${pid}) lives and does not answer`, {
    ...(cause === undefined ? {} : { cause }),
    details: { pid },
    remedy: 'caisson service stop ends it; add --embedded to go without it',
  });
}
