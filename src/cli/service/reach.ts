/** Finds out whether the service that a state directory names is there. */
import { existsSync } from 'node:fs';
import { CaissonError } from '../../errors.ts';
import { isServiceAlive, readServiceRecord, type ServiceRecord } from '../../lib/service-record.ts';
import { checkVersion } from './version.ts';

/** A service that starts or ends has its record a moment longer, or shorter, than its socket. */
const settlingMs = 2000;
const lookMs = 50;

/**
 * `null`: its process is gone, or it is ending. Throws `unavailable` where it lives without a socket, and
 * `failed_precondition` where it is of another version.
 */
export async function reach(home: string): Promise<ServiceRecord | null> {
  const deadline = Date.now() + settlingMs;
  for (;;) {
    // Those who stop remove it first.
    const record = readServiceRecord(home);
    if (record === null || !isServiceAlive(record)) return null;
    checkVersion(record);
    if (existsSync(record.socket)) return record;
    if (Date.now() > deadline) throw silentServiceError(record);
    await new Promise((done) => setTimeout(done, lookMs));
  }
}

/** It may hold what this command would need: a second process beside it would hide that. */
export function silentServiceError({ pid }: Pick<ServiceRecord, 'pid'>): CaissonError {
  return new CaissonError('unavailable', `the service (process ${pid}) lives and does not answer`, {
    // Not to be tried again: it was asked, and has had its time.
    details: { pid, silent: true },
    remedy: 'caisson service stop ends it; add --embedded to go without it',
  });
}
