/** Stop and start: a sandbox that is stopped is a snapshot of its files, which is known to its ref alone. */
import type { PowerOptions } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { throwIfAborted } from '../shared/abort.ts';
import type { ModalAccount } from './account.ts';
import { limitTo } from './egress.ts';
import { deleteImage, endSandbox, makeSandbox, settled, findSnapshot } from './life.ts';
import { patiently } from './retry.ts';
import { type Record, toRef } from './record.ts';

/** A snapshot of a big tree may take so long, in milliseconds; the SDK's own patience is a minute. */
const snapshotMs = 10 * 60 * 1000;

/** Returns the record as it is stored then. */
export async function stop(account: ModalAccount, record: Record, options: PowerOptions): Promise<Record> {
  throwIfAborted(options);
  const now = await settled(account, record);
  if (now.stopped) {
    if (!record.stopped) await options.onRef(toRef(now));
    await endLeftovers(account, now);
    return now;
  }
  const image = await snapshot(account, now);
  const next: Record = { ...now, stopped: true, image, taken: new Date().toISOString(), older: now.image };
  await stored(options, next, () => deleteImage(account, image));
  await endSandbox(account, now);
  return await withoutOlder(account, next);
}

export async function start(account: ModalAccount, record: Record, options: PowerOptions): Promise<Record> {
  throwIfAborted(options);
  const now = await settled(account, record);
  if (!now.stopped) {
    if (now.plan.network === 'filtered') await limitTo(account, now.id, options.egress ?? []);
    return now;
  }
  const { image } = now;
  const files = image === null ? null : await findSnapshot(account, image);
  if (files === null) throw filesGoneError(now);
  await endLeftovers(account, now);
  const { labels, name, plan, taken, older } = now;
  const making = { image: files, hosts: options.egress ?? [] };
  const made = await makeSandbox(account, { labels, name, plan, image, taken }, making);
  const next: Record = { ...made, older };
  await stored(options, next, () => endSandbox(account, made));
  return await withoutOlder(account, next);
}

async function snapshot(account: ModalAccount, { id }: Record): Promise<string> {
  const handle = await account.handle(id);
  const take = () => handle.snapshotFilesystem({ timeoutMs: snapshotMs, ttlMs: null });
  // One that was refused for being too many has not been taken; of any other failure that is not known.
  const taking = () => account.once('take a snapshot of the files', take);
  const image = await patiently(taking, undefined, ['resource_exhausted']);
  return image.imageId;
}

/** When it cannot be stored, what was made for it goes. */
async function stored({ onRef }: PowerOptions, record: Record, undo: () => Promise<void>): Promise<void> {
  try {
    await onRef(toRef(record));
  } catch (error) {
    await undo().catch(() => undefined);
    throw error;
  }
}

/** What a crash has left running under the name, or under the id of before. */
export async function endLeftovers(account: ModalAccount, record: Record): Promise<void> {
  if ((await account.status(record.id)) === 'running') await endSandbox(account, record);
  const left = await account.named(record.name);
  if (left?.record?.labels.sandbox !== record.labels.sandbox || left.record.labels.instance !== record.labels.instance)
    return;
  await endSandbox(account, { ...left.record, image: record.image });
}

/** Deletes an older snapshot after a newer one is stored. A failure to delete is ignored: what stays costs little. */
async function withoutOlder(account: ModalAccount, record: Record): Promise<Record> {
  if (record.older !== null && record.older !== record.image)
    await deleteImage(account, record.older).catch(() => undefined);
  return record;
}

function filesGoneError({ labels: { sandbox }, image }: Record): CaissonError {
  return new CaissonError('failed_precondition', `the files of sandbox ${sandbox} are not at Modal any more`, {
    details: { sandbox, image },
    remedy: `remove the sandbox when they may go, and create it anew: caisson rm ${sandbox}`,
  });
}
