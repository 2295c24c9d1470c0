/** The audit, for readers. */
import type { CaissonApi } from '../api.ts';
import { cancelable, type Context } from '../../sandbox/context.ts';

export function auditOf({ audit }: Pick<Context, 'audit'>): CaissonApi['audit'] {
  return {
    tail: ({ count, follow = false }, options = {}) => audit.tail({ count, follow, ...cancelable(options) }),
    verify: () => audit.verify(),
  };
}
