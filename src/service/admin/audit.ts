/** The audit, for readers. */
import type { AuditApi } from '../api.ts';
import { cancelable, type Context } from '../../sandbox/context.ts';

export function auditOf({ audit }: Pick<Context, 'audit'>): AuditApi {
  return {
    tail: ({ count, follow = false, owner }, options = {}) =>
      audit.tail({ count, follow, ...(owner === undefined ? {} : { owner }), ...cancelable(options) }),
    verify: () => audit.verify(),
  };
}
