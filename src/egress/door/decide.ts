/**
 * Whether a sandbox may connect to a name and a port: first by the name, and then by all the addresses that it has. The
 * order is that of strength: website policy, deny, names and addresses that are always refused, allow. Pure.
 */
import { type HostPattern, isWithin, portProblem } from '../../values/host-pattern.ts';
import { readIp } from '../../values/ip.ts';
import { judgeAddress, shown } from '../../network/address/address.ts';
import { reasonAgainstName } from '../../network/address/names.ts';
import type { AddressRules } from '../../network/address/types.ts';
import type { Ruleset } from './ruleset.ts';
import type { Decision, Target } from './types.ts';

export interface JudgeRules {
  readonly egress: Ruleset;
  readonly addresses: AddressRules;
}

/** What the name says. `allow` is not yet leave to connect: `judgeAnswers` has the last word. */
export function judgeTarget(target: Target, { egress, addresses }: JudgeRules): Decision {
  const { name, port } = target;
  const unusable = portProblem(port);
  if (unusable !== null) return deny('ports', unusable);
  const site = addresses.blockedSite(name);
  if (site !== null) return deny('security.website_blocklist', site);
  const denied = egress.deny.find((rule) => covers(rule, target));
  if (denied !== undefined) return deny(denied.name, `${shown(name)} is denied by ${shown(denied.text)}`);
  const against = readIp(name) === null ? reasonAgainstName(name) : null;
  if (against !== null) return deny('address', `${shown(name)} is ${against}`);
  return judgeAllowed(target, egress);
}

/** One bad address denies: which one a program connects to is a matter of chance. `byName`: what `judgeTarget` said. */
export function judgeAnswers(
  target: Target,
  answers: readonly string[],
  rules: JudgeRules & { readonly byName: Decision },
): Decision {
  const { egress, addresses, byName } = rules;
  if (byName.verdict === 'deny') return byName;
  if (answers.length === 0) return deny('address', `${shown(target.name)} is not resolved`);
  for (const answer of answers) {
    const { verdict, reason } = judgeAddress(answer, target.port, addresses);
    if (verdict === 'block') return deny('address', `${shown(target.name)} resolves to a blocked address: ${reason}`);
    const name = readIp(answer)?.toString() ?? answer;
    const denied = egress.deny.find((rule) => rule.host !== '*' && covers(rule, { name, port: target.port }));
    if (denied !== undefined) return deny(denied.name, `${shown(target.name)} resolves to ${name}, which is denied`);
  }
  return byName;
}

function judgeAllowed(target: Target, { allow, ports }: Ruleset): Decision {
  const { name, port } = target;
  const named = allow.filter((rule) => isWithin(rule, name));
  const fits = named.find((rule) => (rule.port === null ? ports.has(port) : rule.port === port));
  if (fits !== undefined) return { verdict: 'allow', rule: fits.name, reason: `${shown(name)} is allowed` };
  if (named.length > 0) return deny('ports', `port ${port} of ${shown(name)} is not listed`);
  return deny('no rule', `no rule allows ${shown(name)}`);
}

/** A denied name is denied with all that is below it. */
function covers(rule: HostPattern, { name, port }: Target): boolean {
  if (rule.port !== null && rule.port !== port) return false;
  return isWithin(rule, name) || (readIp(rule.host) === null && name.endsWith(`.${rule.host}`));
}

export const deny = (rule: string, reason: string): Decision => ({ verdict: 'deny', rule, reason });
