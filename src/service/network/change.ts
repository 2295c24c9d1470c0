/** Changes of the rules of one sandbox, checked. Pure. */
import { CaissonError } from '../../errors.ts';
import { allowProblem, hostPattern, isWithin } from '../../values/host-pattern.ts';
import type { NetworkChange, NetworkRules } from '../network-api.ts';

const maxHosts = 100;

/** Throws `invalid_argument`. */
export function checkedChange({ allow = [], deny = [], forget = [] }: NetworkChange): Required<NetworkChange> {
  const count = allow.length + deny.length + forget.length;
  if (count === 0 || count > maxHosts)
    throw new CaissonError('invalid_argument', `a change names 1 to ${maxHosts} hosts, and this one ${count}`);
  for (const host of allow) check('allowed', host, allowProblem(host));
  for (const host of [...deny, ...forget]) {
    const read = hostPattern(host);
    check('named', host, typeof read === 'string' ? read : null);
  }
  const both = allow.find((host) => deny.includes(host));
  if (both !== undefined) check('allowed', both, 'the same change denies it');
  return { allow, deny, forget };
}

function check(what: string, host: string, problem: string | null): void {
  if (problem === null) return;
  throw new CaissonError('invalid_argument', `${JSON.stringify(host.slice(0, 100))} cannot be ${what}: ${problem}`, {
    remedy: 'name hosts such as example.com, *.example.com or example.com:8443',
  });
}

/** A host that the configuration denies stays denied: to allow it here would say what does not hold. */
export function checkNotDenied({ allow = [] }: NetworkChange, { configured }: Pick<NetworkRules, 'configured'>): void {
  for (const host of allow) {
    const denied = configured.deny.find((rule) => covers(rule, host));
    if (denied !== undefined)
      throw new CaissonError('failed_precondition', `${host} stays denied: network.deny lists ${denied}`, {
        remedy: `take ${denied} out of network.deny, and have a service that runs read it: caisson config reload`,
      });
  }
}

/** Whether the rule denies all that is allowed. */
function covers(rule: string, allowed: string): boolean {
  const [denied, wanted] = [hostPattern(rule), hostPattern(allowed)];
  if (typeof denied === 'string' || typeof wanted === 'string') return false;
  if (denied.port !== null && denied.port !== wanted.port) return false;
  const isBelow = wanted.host.endsWith(`.${denied.host}`);
  if (wanted.onlyBelow) return denied.host === '*' || wanted.host === denied.host || isBelow;
  return isWithin(denied, wanted.host) || isBelow;
}
