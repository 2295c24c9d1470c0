/** Whether the rules find what their examples say, with the shell grammar that is really there. */
import { analyse } from '../shell/analyse.ts';
import { loadGrammar } from '../shell/grammar/load.ts';
import { checkRules } from './tiers/lists.ts';
import { DecisionTime } from '../shell/time.ts';
import type { RuleExamples } from './types.ts';

/** Rule by rule: all of them take some fifty milliseconds, which not everybody has at once. */
export async function checkedExamples(): Promise<Iterable<RuleExamples>> {
  const parse = await loadGrammar();
  return checkRules((text) => analyse(text, { cwd: '/srv/project' }, { parse, time: new DecisionTime() }));
}
