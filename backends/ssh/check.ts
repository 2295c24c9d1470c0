/** How the host is, for `doctor`. */
import type { Check, Finding } from '../../src/backend.ts';
import { toCaissonError } from '../../src/errors.ts';
import type { Facts } from './facts.ts';

const asRoot: Finding = {
  severity: 'warning',
  id: 'runs-as-root',
  message: 'commands run as root on the host',
  remedy: 'log in with an account of its own: terminal.ssh_user',
};

export function toCheck(label: string, facts: Facts): Check {
  const { missing, scopes, ...told } = facts;
  const lacks = missing.length > 0;
  return {
    status: lacks ? 'unhealthy' : 'ready',
    summary: lacks
      ? `${label} lacks ${missing.join(', ')}`
      : `commands run on ${label} as ${facts.user}, without isolation${scopes === null ? ' and without limits' : ''}`,
    remedy: lacks ? `install ${missing.join(', ')} there` : null,
    facts: { host: label, ...told, limits: scopes === null ? 'none' : scopes.holds.join(' ') },
    findings: facts.uid === 0 ? [asRoot] : [],
  };
}

/** `configured`: there is a host to reach at all. */
export function toFailedCheck(error: unknown, configured: boolean): Check {
  const { message, remedy, details } = toCaissonError(error);
  const fingerprint = typeof details['fingerprint'] === 'string' ? { fingerprint: details['fingerprint'] } : {};
  return {
    status: configured ? 'unhealthy' : 'missing',
    summary: message,
    remedy: remedy ?? 'look whether `ssh` reaches the host',
    facts: fingerprint,
    findings: [],
  };
}
