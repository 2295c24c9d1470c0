/** What people read of a finding. Pure, and loads nothing: every command line has it. */
import type { Finding } from '../types.ts';

/** A finding with what it is called, where that is the text of a rule. */
export function findingText({ rule, description }: Pick<Finding, 'rule' | 'description'>): string {
  return rule === '' || /^[HDU]\d/.test(rule) ? description : `${description} (${rule})`;
}
