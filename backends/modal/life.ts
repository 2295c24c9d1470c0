/** The life of a sandbox at the service: made under its name, found as it is now, ended with all that it left. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import type { EndStatus, ModalAccount } from './account.ts';
import { refuseBeyondCeiling } from './ceiling.ts';
import { allowList, limitTo } from './egress.ts';
import { codeOf } from './fault.ts';
import { type Record, toTags } from './record.ts';
import type { App, Client, Handle } from './sdk.ts';

/** What is wanted: `id` is not known yet. */
export type NewRecord = Omit<Record, 'id' | 'stopped' | 'older'>;

export type Image = Awaited<ReturnType<Client['images']['fromId']>>;

const exitSnapshotMs = 60_000;
/** The name may be held by a sandbox that ends, and is not found any more. */
const maxTries = 10;
const pauseMs = 100;

/** From an image of a registry; the service builds what it does not have yet. */
export async function resolveImage(
  account: ModalAccount,
  reference: string,
  onProgress: ((progress: Progress) => void) | undefined,
): Promise<Image> {
  const app = await account.app();
  onProgress?.({ what: `image ${reference} at Modal`, done: null, total: null });
  return await account.call(`have the image ${reference}`, (client) =>
    client.images.fromRegistry(reference).build(app),
  );
}

/** `null`: it is not there any more. */
export async function findSnapshot(account: ModalAccount, id: string): Promise<Image | null> {
  try {
    return await account.call('find the snapshot', (client) => client.images.fromId(id));
  } catch (error) {
    if (codeOf(error) === 'not_found') return null;
    throw error;
  }
}

/** What a sandbox is made from. `hosts`: see `CreateOptions.egress`. */
export interface Making {
  readonly image: Image;
  readonly hosts: readonly string[];
}

/** One of this name that is the same sandbox from the same spec and files is returned; an older one is replaced. */
export async function makeSandbox(account: ModalAccount, wanted: NewRecord, making: Making): Promise<Record> {
  const app = await account.app();
  await refuseBeyondCeiling(account, app.appId, wanted.name);
  for (let attempt = 0; attempt < maxTries; attempt += 1) {
    const handle = await tryCreate(account, { app, making, wanted });
    if (handle !== null) return { ...wanted, id: account.keep(handle).sandboxId, stopped: false, older: null };
    const taken = await account.named(wanted.name);
    if (taken === null) {
      await sleep(pauseMs * attempt); // It has ended meanwhile, or is about to be found.
      continue;
    }
    const { record } = taken;
    if (record?.labels.sandbox !== wanted.labels.sandbox || record.labels.instance !== wanted.labels.instance)
      throw nameTakenError(wanted.name);
    if (record.labels.fingerprint === wanted.labels.fingerprint && record.image === wanted.image)
      return await limited(account, record, making.hosts);
    await endSandbox(account, record);
  }
  throw nameTakenError(wanted.name);
}

/** One that a lost answer has left may have been made by other rules. */
async function limited(account: ModalAccount, record: Record, hosts: readonly string[]): Promise<Record> {
  if (record.plan.network === 'filtered') await limitTo(account, record.id, hosts);
  return record;
}

/** `null`: the name is taken. */
async function tryCreate(
  account: ModalAccount,
  { app, making, wanted }: { readonly app: App; readonly making: Making; readonly wanted: NewRecord },
): Promise<Handle | null> {
  try {
    return await account.call('make the sandbox', (client) =>
      client.sandboxes.create(app, making.image, paramsOf(account, wanted, making.hosts)),
    );
  } catch (error) {
    if (codeOf(error) === 'already_exists') return null;
    throw error;
  }
}

function paramsOf(
  { settings }: ModalAccount,
  wanted: NewRecord,
  hosts: readonly string[],
): Parameters<Client['sandboxes']['create']>[2] {
  const { milliCores, memoryMib, network, persistent } = wanted.plan;
  return {
    name: wanted.name,
    tags: { ...toTags(wanted) },
    timeoutMs: settings.lifetimeMs,
    idleTimeoutMs: settings.idleMs,
    ...(network === 'filtered' ? allowList(hosts) : { blockNetwork: network === 'none' }),
    ...(milliCores === null ? {} : { cpu: milliCores / 1000, cpuLimit: milliCores / 1000 }),
    ...(memoryMib === null ? {} : { memoryMiB: memoryMib, memoryLimitMiB: memoryMib }),
    // The service may end it while no Caisson runs.
    ...(persistent ? { experimentalOptions: { enable_exit_snapshot: true } } : {}),
  };
}

/** Asks for the state now: what the service has ended is stopped, or gone. */
export async function settled(account: ModalAccount, record: Record): Promise<Record & { readonly lost?: true }> {
  if (record.stopped) return record;
  const status = await account.status(record.id);
  if (status === 'running') return record;
  account.forget(record.id);
  const found = record.plan.persistent ? await leftBehind(account, record, status) : null;
  if (found !== null) return found;
  throw new CaissonError('not_found', `sandbox ${record.labels.sandbox} is gone`, {
    details: { sandbox: record.labels.sandbox },
  });
}

/** The snapshot of the end; else the last one that was taken before. `null` when it was removed on purpose. */
async function leftBehind(
  account: ModalAccount,
  record: Record,
  status: EndStatus,
): Promise<(Record & { readonly lost?: true }) | null> {
  const last = await findExitSnapshot(account, record.id);
  if (last !== null)
    return { ...record, stopped: true, image: last, taken: new Date().toISOString(), older: record.image };
  if (status === 'terminated') return null;
  return { ...record, stopped: true, lost: true };
}

async function findExitSnapshot(account: ModalAccount, id: string): Promise<string | null> {
  try {
    const image = await account.once('find the last snapshot', async (client) => {
      const ended = await client.sandboxes.fromId(id);
      return await ended.experimentalGetExitSnapshot({ timeoutMs: exitSnapshotMs });
    });
    return (await findSnapshot(account, image.imageId)) === null ? null : image.imageId;
  } catch (error) {
    if (['unavailable', 'unauthenticated', 'permission_denied'].includes(codeOf(error))) throw error;
    return null; // The service took none.
  }
}

/** The sandbox, what the service kept of its end, and no more: snapshots that a ref names stay. Idempotent. */
export async function endSandbox(account: ModalAccount, { id, plan, image }: Record): Promise<void> {
  account.forget(id);
  try {
    await account.call('end the sandbox', async (client) => {
      const handle = await client.sandboxes.fromId(id);
      await handle.terminate({ wait: true });
    });
  } catch (error) {
    if (codeOf(error) !== 'not_found') throw error;
  }
  const last = plan.persistent ? await findExitSnapshot(account, id) : null;
  if (last !== null && last !== image) await deleteImage(account, last);
}

export async function deleteImage(account: ModalAccount, id: string): Promise<void> {
  try {
    await account.call('delete the snapshot', (client) => client.images.delete(id));
  } catch (error) {
    if (codeOf(error) !== 'not_found') throw error;
  }
}

function nameTakenError(name: string): CaissonError {
  return new CaissonError('conflict', `the name ${name} belongs to another sandbox at Modal`, {
    details: { name },
    remedy: 'choose another name, or end that sandbox',
  });
}
