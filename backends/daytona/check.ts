/** How the account is, for `doctor`. */
import type { Check } from '../../src/backend.ts';
import { isCode, toCaissonError } from '../../src/errors.ts';
import type { Account } from './account.ts';
import type { Handle } from './sdk.ts';

export function toCheck({ label, settings }: Account, all: readonly Handle[]): Check {
  const running = all.filter(({ state }) => state === 'started').length;
  return {
    status: 'ready',
    summary: `${label} answers; ${running} of ${all.length} sandboxes in the account run`,
    remedy: null,
    facts: { address: label, target: settings.target, sandboxes: all.length, running, ceiling: settings.maxSandboxes },
    findings:
      settings.maxSandboxes === null
        ? [
            {
              severity: 'warning',
              id: 'no-ceiling',
              message: 'there is no limit on how many sandboxes run in the account, and each costs money',
              remedy: 'set terminal.daytona_max_sandboxes',
            },
          ]
        : [],
  };
}

export function toFailedCheck(error: unknown): Check {
  const { message, remedy } = toCaissonError(error);
  return {
    status: isCode(error, 'failed_precondition') ? 'missing' : 'unhealthy',
    summary: message,
    remedy: remedy ?? 'see docs/daytona.md',
    facts: {},
    findings: [],
  };
}
