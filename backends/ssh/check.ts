/** How the host is, for `doctor`. */
import type { Check, Finding } from '../../src/backend.ts';
import { toCaissonError } from '../../src/errors.ts';
import type { Facts } from './facts.ts';
import type { Member } from './members.ts';

const asRoot: Finding = {
  severity: 'warning',
  id: 'runs-as-root',
  message: 'commands run as root on the host',
  remedy: 'log in with an account of its own: terminal.ssh_user',
};

export function checkFromFacts(label: string, facts: Facts): Check {
  const { missing, scopes, ...shown } = facts;
  const lacks = missing.length > 0;
  return {
    status: lacks ? 'unhealthy' : 'ready',
    summary: lacks
      ? `${label} lacks ${missing.join(', ')}`
      : `commands run on ${label} as ${facts.user}, without isolation${scopes === null ? ' and without limits' : ''}`,
    remedy: lacks ? `install ${missing.join(', ')} there` : null,
    facts: { host: label, ...shown, limits: scopes === null ? 'none' : scopes.holds.join(' ') },
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

/** A pool is ready as long as one host takes new tasks; each host that does not stands in the findings. */
export function joinChecks(asked: readonly { readonly member: Member; readonly check: Check }[]): Check {
  const [first] = asked;
  if (first === undefined || first.member.name === null) return first?.check ?? toFailedCheck(null, false);
  const ready = asked.filter(({ check }) => check.status === 'ready');
  const taking = ready.filter(({ member }) => !member.drain);
  return {
    status: taking.length > 0 ? 'ready' : 'unhealthy',
    summary: `${taking.length} of ${asked.length} hosts take new tasks`,
    remedy: taking.length > 0 ? null : 'see what is wrong with each of them below',
    facts: Object.fromEntries(asked.map(({ member, check }) => [member.name ?? '', inShort(member, check)])),
    findings: [
      ...asked.filter(({ check }) => check.status !== 'ready').map(({ member, check }) => down(member, check)),
      ...new Map(ready.flatMap(({ check }) => check.findings).map((each) => [each.id, each])).values(),
    ],
  };
}

function inShort({ capacity, drain }: Member, { status, facts }: Check): string {
  const host = typeof facts['host'] === 'string' ? `${facts['host']} ` : '';
  const room = capacity === null ? 'no capacity set' : `capacity ${capacity}`;
  return `${host}${status}, ${room}${drain ? ', drained' : ''}`;
}

function down({ name }: Member, { summary, remedy }: Check): Finding {
  return { severity: 'error', id: `host-${name ?? ''}`, message: summary, remedy: remedy ?? 'see its log' };
}
