/**
 * The account of one sandbox. Apptainer enters no instance of another account, and the unpacked image of a sandbox is closed to
 * all but its own. So a sandbox stays with the account that it was made for, whatever a later version or configuration gives
 * to new ones.
 */
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Owner, Pipes } from '../shared/pipes.ts';
import { systemError, systemCode } from '../shared/system-fault.ts';
import { type Account, accountOf } from './account.ts';
import { configOf } from './instance.ts';
import { accountsFile } from './places.ts';
import type { Host } from './program.ts';
import type { Registration } from './registration.ts';

/** The host as the account of the sandbox uses it. */
export async function hostOf(
  host: Host,
  registration: Registration,
  pipesFor: (account: Account) => Pipes,
): Promise<Host> {
  if (!host.account.handedOver) return host;
  const own = registration.account ?? (await ownerBefore(registration)) ?? host.account;
  if (own.uid === host.account.uid) return host;
  const account = accountOf(own);
  const accounts = accountsFile(dirname(registration.directory), account);
  return { ...host, account, accounts, pipes: pipesFor(account) };
}

/** The tasks whose sandboxes have another account than new ones get. */
export async function onOthers(
  host: Host,
  found: readonly { readonly registration: Registration }[],
): Promise<readonly string[]> {
  const hosts = await Promise.all(
    found.map(
      async ({ registration }) =>
        [registration.labels.task, await hostOf(host, registration, () => host.pipes)] as const,
    ),
  );
  return hosts.flatMap(([task, { account }]) => (account.uid === host.account.uid ? [] : [`${task} (${account.uid})`]));
}

/** Registrations of earlier versions name no account: it owns the files of the sandbox, and before its first start the image. */
async function ownerBefore({ directory, plan }: Registration): Promise<Owner | null> {
  return (await ownerOf(configOf(directory))) ?? (plan.digest === null ? null : await ownerOf(plan.root));
}

async function ownerOf(path: string): Promise<Owner | null> {
  try {
    const { uid, gid } = await lstat(path);
    return uid === 0 ? null : { uid, gid };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw systemError(error, `look at ${path}`);
  }
}
