import { judgeAnswers, judgeTarget } from '../../../src/egress/door/decide.ts';
import type { Presets } from '../../../src/values/egress-presets.ts';
import { rulesetOf } from '../../../src/egress/door/ruleset.ts';
import type { Decision, EgressRules } from '../../../src/egress/door/types.ts';
import type { AddressRules } from '../../../src/network/address/types.ts';
import { noRules } from '../../network/address/rules.ts';

export const someRules = (rules: Partial<EgressRules>): EgressRules => ({
  allow: [],
  deny: [],
  ports: [],
  presets: [],
  ...rules,
});

export interface Question {
  readonly name: string;
  readonly port?: number;
  readonly answers?: readonly string[];
  readonly addresses?: Partial<AddressRules>;
  readonly presets?: Presets;
}

/** Name and addresses together, as the proxy judges them. */
export function decide(rules: Partial<EgressRules>, question: Question): Decision {
  const { name, port = 443, answers = ['93.184.216.34'], addresses = {}, presets = {} } = question;
  const judge = { egress: rulesetOf(someRules(rules), presets), addresses: { ...noRules, ...addresses } };
  const target = { name, port };
  return judgeAnswers(target, answers, { ...judge, byName: judgeTarget(target, judge) });
}
