import { userInfo } from 'node:os';
import { expect, it } from 'vitest';
import { ownAccount } from '../../src/lib/own-account.ts';

it('has the name of the accounts file', () => {
  const { uid, gid, username } = userInfo();
  expect(ownAccount()).toEqual({ uid, gid, name: username });
});

it('is the number itself where no accounts file has it, as in containers', () => {
  const [uid, gid] = [process.geteuid?.(), process.getegid?.()];
  const absent = (): never => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  };
  expect(ownAccount(absent)).toEqual({ uid, gid, name: String(uid) });
});
