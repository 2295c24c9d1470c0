/** Credential files in the life of a sandbox: a place for them at its beginning, and none of them left at its end. */
import type { Mount, Sandbox } from '../backend.ts';
import { isCode } from '../errors.ts';
import { keptKey } from '../inside/kept.ts';
import { removeCopies } from '../secrets/credentials/copied.ts';
import { readRecord, recordStamp, writeRecord } from '../secrets/credentials/record.ts';
import { isMember } from '../values/member.ts';
import { makeShown } from '../secrets/credentials/shown.ts';
import type { Plan } from '../plan/types.ts';
import type { SandboxRow } from '../store/store.ts';
import type { Context } from './context.ts';

/** What the backend is to show, where it can and files are declared. The task that claims a member of the pool may declare some. */
export async function shownCredentials(
  context: Context,
  { guarantees, credentials }: Pick<Plan, 'guarantees' | 'credentials'>,
  row: SandboxRow,
): Promise<Mount | null> {
  const { configured, bySkills, directory } = credentials;
  const isNeeded = isMember(row.taskId) || configured.length + bySkills.length > 0;
  if (guarantees.credentials !== 'bind' || !isNeeded) return null;
  return { source: await makeShown(context.home, row.id), target: directory, readOnly: true };
}

/** The sandbox has been made or started: what was written into it may be gone. */
export async function forgetCopies(context: Context, row: SandboxRow): Promise<void> {
  if (!(await hasCopies(context, row))) return;
  const { placed, directory } = await readRecord(context.home, row.id);
  const unknown = Object.entries(placed).map(([path, each]) => [path, { ...each, stamp: '' }] as const);
  await writeRecord(context.home, row.id, { placed: Object.fromEntries(unknown), directory });
}

/** Before it stops or goes. Does nothing where files were shown only, and in a sandbox that does not run. */
export async function withdrawCredentials(context: Context, row: SandboxRow, sandbox: Sandbox): Promise<void> {
  if (sandbox.state !== 'running' || !(await hasCopies(context, row))) return;
  const { placed, directory } = await readRecord(context.home, row.id);
  const { isolation } = await (await context.backend(row.backend)).guarantees();
  const key = keptKey(isolation, row.id);
  // What a shared home keeps for the sandbox goes as a whole.
  const paths = key === '' ? Object.keys(placed) : [];
  await removeCopies({ sandbox, key, directory: directory ?? '' }, paths).catch((error: unknown) => {
    if (!isCode(error, 'not_found') && !isCode(error, 'failed_precondition')) throw error; // it is gone, and they with it
  });
  await forgetCopies(context, row);
}

async function hasCopies(context: Context, row: SandboxRow): Promise<boolean> {
  if (recordStamp(context.home, row.id) === null) return false;
  return (await (await context.backend(row.backend)).guarantees()).credentials === 'copy';
}
