import type { CaissonApi } from '../../src/service/api.ts';

/** Somebody with a hostile name waits; somebody is paired, and on a list as well. */
const who = { platform: 'telegram', ids: ['42', 'ada'], name: 'Ada\u001b[2J' };
const pairedUser = { ...who, ids: ['7'], pairedAt: '2026-01-01T12:00:00.000Z', by: 'me on a terminal' };
export const access: CaissonApi['access'] = {
  message: () => Promise.resolve({ what: 'ignored', why: 'not-addressed' }),
  conversation: () => Promise.resolve('telegram-1'),
  pairing: {
    list: () =>
      Promise.resolve({
        pending: [
          {
            ...who,
            id: '0123456789abcdef',
            askedAt: '2026-01-02T11:50:00.000Z',
            expiresAt: '2026-01-02T12:50:00.000Z',
          },
        ],
        paired: [pairedUser],
        lockedOut: [{ platform: 'slack', until: '2026-01-02T13:00:00.000Z' }],
      }),
    approve: () => Promise.resolve(pairedUser),
    revoke: () => Promise.resolve({ user: pairedUser, still: 'platform-allowlist' }),
    clearPending: (platform) => Promise.resolve(platform === undefined ? 2 : 1),
  },
};
