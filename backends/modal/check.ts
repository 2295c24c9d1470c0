/** How the account is, for `doctor`. */
import type { AccountEntry, Check } from '../../src/backend.ts';
import { toCaissonError } from '../../src/errors.ts';
import type { Entry, ModalAccount } from './account.ts';
import { fromTags } from './record.ts';

const mebibyte = 1024 * 1024;

export async function checkAccount(account: ModalAccount): Promise<Check> {
  const app = await account.app();
  const running = await account.running(app.appId, {});
  const { app: name, maxSandboxes } = account.settings;
  return {
    status: 'ready',
    summary: `commands run in sandboxes at Modal, in the app ${name}`,
    remedy: null,
    facts: { host: await account.host(), app: name, running: running.length, ceiling: maxSandboxes },
    findings: [],
  };
}

export function toFailedCheck(error: unknown): Check {
  const { code, message, remedy } = toCaissonError(error);
  const isAbsent = code === 'failed_precondition' || code === 'unauthenticated';
  return {
    status: isAbsent ? 'missing' : 'unhealthy',
    summary: message,
    remedy: remedy ?? 'look whether the service can be reached',
    facts: {},
    findings: [],
  };
}

/** Everything that runs, also what Caisson did not make. */
export async function accountEntries(account: ModalAccount): Promise<readonly AccountEntry[]> {
  return (await account.running('', {})).map(toEntry);
}

function toEntry({ id, name, createdAt, tags }: Entry): AccountEntry {
  const record = fromTags(id, name, tags);
  const seconds = Number.isFinite(createdAt) && createdAt > 0 && createdAt < 1e11 ? createdAt : null;
  const { milliCores = null, memoryMib = null } = record?.plan ?? {};
  return {
    name: name === '' ? id : name,
    state: 'running',
    since: seconds === null ? null : new Date(seconds * 1000).toISOString(),
    cpuCores: milliCores === null ? null : milliCores / 1000,
    memoryBytes: memoryMib === null ? null : memoryMib * mebibyte,
    labels: record?.labels ?? null,
  };
}
