/** Who may talk to an agent through a messenger, as front ends ask and decide it. Opened on first use. */
import type { Access } from '../../access/open.ts';
import { ownPairingError } from '../../access/refusals.ts';
import type { AccessApi } from '../api.ts';
import type { Loaded } from '../../config/types.ts';
import { isInside } from '../../guard/inside.ts';
import { remembered } from '../../lib/remembered.ts';
import type { Context } from '../../sandbox/context.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** `env`: of this process, which may be one that Caisson itself started. */
export function createAccessApi({ store, audit }: Context, loaded: Loaded, env: Environment): AccessApi {
  const open = remembered(async (): Promise<Access> => {
    const room = await import('../../access/open.ts');
    return new room.Access({ loaded, store, audit });
  });
  const outside = async <T>(work: (access: Access) => Promise<T>): Promise<T> => {
    const access = await open();
    if (isInside(env)) {
      await access.refused({ what: 'inside', why: 'inside-a-command', platform: null });
      throw ownPairingError();
    }
    return await work(access);
  };
  return {
    message: async (message) => await (await open()).message(message),
    conversation: async (message) => (await open()).conversation(message),
    pairing: {
      list: () => outside((access) => access.list()),
      approve: (platform, code, by) => outside((access) => access.approve(platform, code, by)),
      revoke: (platform, user, by) => outside((access) => access.revoke(platform, user, by)),
      clearPending: (platform) => outside((access) => access.clearPending(platform)),
    },
  };
}
