/** The audit, for readers. */
import type { AuditApi } from '../api.ts';
import { cancelable, type Context } from '../../sandbox/context.ts';

export function createAuditApi({ audit }: Pick<Context, 'audit'>): AuditApi {
  return {
    tail: ({ follow = false, ...how }, options = {}) => audit.tail({ ...how, follow, ...cancelable(options) }),
    verify: () => audit.verify(),
  };
}
