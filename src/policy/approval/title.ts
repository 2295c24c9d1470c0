/** Who asks: a rule, a mode, or a danger. Pure. */
import type { Finding } from '../types.ts';
import { shownCommand } from './display.ts';
import { kindOf } from './needed.ts';

export interface Asker {
  /** For people: `ASKED BY RULE terminal(git push:*)`. */
  readonly title: string;
  /** The permission rule that asks, or that could not be held otherwise; `null`: no rule asks. */
  readonly rule: string | null;
}

const maxRuleUnits = 200;

export function askedBy(findings: readonly Finding[]): Asker {
  const reasons = findings.flatMap((finding) => reasonOf(finding));
  const rule = reasons.find((each) => !isMode(each)) ?? null;
  const mode = reasons.find(isMode) ?? null;
  const isDanger = reasons.length < findings.length || findings.length === 0;
  const parts = [
    ...(isDanger ? ['DANGEROUS COMMAND'] : []),
    ...(rule === null ? [] : [`ASKED BY RULE ${shownRule(rule)}`]),
    ...(rule === null && mode !== null ? [`ASKED BY ${mode.replace('mode', 'MODE')}`] : []),
  ];
  return { title: parts.join(', '), rule };
}

/** No permission rule holds a blank before its first bracket. */
const isMode = (reason: string): boolean => /^mode [a-z]+$/.test(reason);

function reasonOf(finding: Finding): readonly string[] {
  const { rule, because } = finding;
  if (because !== undefined) return [because];
  const kind = kindOf(finding);
  return kind === 'rule' ? [rule] : kind === 'mode' ? [`mode ${rule}`] : [];
}

const shownRule = (rule: string): string => shownCommand(rule.slice(0, maxRuleUnits)).display.replaceAll('\n', ' ');
