/**
 * Who runs the containers. Never root: to the kernel, a process of root in a container is root of the host wherever a
 * file is concerned (sysctl entries, device nodes, what is bound in), with or without capabilities. So a service that
 * runs as root hands over to an account without rights.
 */
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { CaissonError } from '../../src/errors.ts';
import { fault } from '../shared/system-fault.ts';

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** The service is root, and becomes this account for everything that it starts. */
  readonly handedOver: boolean;
}

/** Every system has this account, and other programs run as it too. */
export const usualAccount = 'nobody';

/** `wanted`: of `terminal.singularity_user`. */
export async function findAccount(wanted: string | null): Promise<Account> {
  const { username, uid, gid } = userInfo();
  if (uid !== 0) return { name: username, uid, gid, handedOver: false };
  const name = wanted ?? usualAccount;
  const found = parsePasswd(await passwd()).find((entry) => entry.name === name);
  if (found !== undefined && found.uid !== 0) return { ...found, handedOver: true };
  throw new CaissonError(
    'failed_precondition',
    `containers are never run as root, and there is no account ${name} to run them`,
    {
      remedy: 'set terminal.singularity_user to an account without rights, or run Caisson as an ordinary user',
    },
  );
}

async function passwd(): Promise<string> {
  try {
    return await readFile('/etc/passwd', 'utf8');
  } catch (error) {
    throw fault(error, 'read the accounts of this host');
  }
}

function parsePasswd(text: string): readonly { readonly name: string; readonly uid: number; readonly gid: number }[] {
  return text.split('\n').flatMap((line) => {
    const [name = '', , uid = '', gid = ''] = line.split(':');
    return /^\d+$/.test(uid) && /^\d+$/.test(gid) ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}
