/** The account of this process, by the accounts file; in a container it may be a number that no such file has. */
import { userInfo, type UserInfo } from 'node:os';

export interface OwnAccount {
  readonly uid: number;
  readonly gid: number;
  /** The number, where it has no name. */
  readonly name: string;
}

/** `find` throws where the number has no name. */
export function ownAccount(find: () => UserInfo<string> = userInfo): OwnAccount {
  try {
    const { uid, gid, username } = find();
    return { uid, gid, name: username };
  } catch (error) {
    const [uid, gid] = [process.geteuid?.(), process.getegid?.()];
    if (uid === undefined || gid === undefined) throw error;
    return { uid, gid, name: String(uid) };
  }
}
