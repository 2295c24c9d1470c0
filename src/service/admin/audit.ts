/** The audit, for readers. */
import type { AuditApi } from '../api.ts';
import { rememberVerified } from '../watch/status.ts';
import { cancelable, type Context } from '../../sandbox/context.ts';

export function createAuditApi({ audit, home }: Pick<Context, 'audit' | 'home'>): AuditApi {
  return {
    tail: ({ follow = false, ...how }, options = {}) => audit.tail({ ...how, follow, ...cancelable(options) }),
    verify: rememberVerified(home, async () => await audit.verify()),
  };
}
