/**
 * Who runs the containers. Never root: to the kernel, a process of root in a container is root of the host wherever a
 * file is concerned (sysctl entries, device nodes, what is bound in), with or without capabilities. So a service that
 * runs as root hands over to an account without rights, which no other program of the host may have: those of one
 * account read each other's files and environments (proc_pid_root(5)).
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CaissonError } from '../../src/errors.ts';
import { ownAccount } from '../../src/lib/own-account.ts';
import type { Owner } from '../shared/pipes.ts';
import { systemError, systemCode } from '../shared/system-fault.ts';

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** The service is root, and becomes this account for everything that it starts. */
  readonly handedOver: boolean;
  /** It is in no accounts file of this host: what it starts sees one that has it. */
  readonly reserved: boolean;
}

/** Numbers that neither distributions nor systemd, its containers or directory services give to anything (systemd, UIDS-GIDS). */
const firstUid = 2_100_000_000;
const uids = 40_000_000;

/** Remedy: makes an account for containers, and names it in the configuration. */
export const makeAccount =
  'useradd --system --no-create-home --shell /usr/sbin/nologin caisson-sandbox, and terminal.singularity_user: caisson-sandbox';

/** `wanted`: value of `terminal.singularity_user`. `owner`: directory from which the number follows (`ownerOf`). */
export async function findAccount(wanted: string | null, owner: string): Promise<Account> {
  const { name, uid, gid } = ownAccount();
  if (uid !== 0) return { name, uid, gid, handedOver: false, reserved: false };
  const [accounts, ranges] = await Promise.all([textOf('/etc/passwd'), textOf('/etc/subuid')]);
  return wanted === null ? reservedAccount(owner, accounts, ranges) : namedAccount(wanted, accounts);
}

/** Pure. Throws `failed_precondition` for one that is not there, root, and the one that other programs have. */
export function namedAccount(name: string, accounts: string): Account {
  const found = parsePasswd(accounts).find((entry) => entry.name === name);
  if (found !== undefined && found.uid !== 0 && name !== 'nobody')
    return { ...found, handedOver: true, reserved: false };
  const why = name === 'nobody' ? 'other programs have this one, and would reach their files' : `there is no ${name}`;
  throw new CaissonError('failed_precondition', `containers are run by an account of their own: ${why}`, {
    remedy: `leave terminal.singularity_user at null, or ${makeAccount}`,
  });
}

/** Pure. Throws `failed_precondition` when the host has given the number to another account. */
export function reservedAccount(owner: string, accounts: string, ranges: string): Account {
  const uid = firstUid + (createHash('sha256').update(owner).digest().readUInt32BE() % uids);
  const isTaken = parsePasswd(accounts).some((entry) => entry.uid === uid) || isDelegated(uid, ranges);
  if (!isTaken) return accountOf({ uid, gid: uid });
  throw new CaissonError('failed_precondition', `containers would run as ${uid}, which this host has given away`, {
    remedy: makeAccount,
  });
}

/** Pure. An account that a sandbox has kept since it was made. */
export function accountOf({ uid, gid }: Owner): Account {
  const reserved = uid >= firstUid && uid < firstUid + uids;
  return { name: reserved ? `caisson-${uid}` : `account ${uid}`, uid, gid, handedOver: true, reserved };
}

/** The accounts of the host with this one behind them. */
export async function accountsWith({ name, uid, gid }: Account): Promise<string> {
  return `${(await textOf('/etc/passwd')).trimEnd()}\n${name}:x:${uid}:${gid}::/nonexistent:/usr/sbin/nologin\n`;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw systemError(error, 'read the accounts of this host');
  }
}

function parsePasswd(text: string): readonly { readonly name: string; readonly uid: number; readonly gid: number }[] {
  return text.split('\n').flatMap((line) => {
    const [name = '', , uid = '', gid = ''] = line.split(':');
    return /^\d+$/.test(uid) && /^\d+$/.test(gid) ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}

/** To the user namespaces of some account (subuid(5)). */
function isDelegated(uid: number, ranges: string): boolean {
  return ranges.split('\n').some((line) => {
    const [, first = '', count = ''] = line.split(':');
    return uid >= Number(first || Infinity) && uid < Number(first) + Number(count);
  });
}
