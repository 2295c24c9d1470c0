/** The two lists, and the check that each rule finds what its examples say. */
import type { Analysis, Simple } from '../../shell/types.ts';
import type { RuleExamples } from '../types.ts';
import { fileRules } from './dangerous-files.ts';
import { possibleRules } from './dangerous-possible.ts';
import { runRules } from './dangerous-run.ts';
import { shellRules } from './dangerous-shell.ts';
import { toolRules } from './dangerous-tools.ts';
import { unsureRules } from './dangerous-unsure.ts';
import { windowsRules } from './dangerous-windows.ts';
import { hardlineRules } from './hardline.ts';
import { RuleIndex, type Rule } from './rule.ts';

export const dangerousRules: readonly Rule[] = [...fileRules, ...runRules, ...shellRules, ...toolRules, ...windowsRules, ...unsureRules, ...possibleRules];
export { hardlineRules };

const hardline = new RuleIndex(hardlineRules);
const dangerous = new RuleIndex(dangerousRules);
const unsure = new RuleIndex(unsureRules);

export interface Hit {
  readonly rule: Rule;
  readonly command: Simple;
}

export function hardlineHits(analysis: Analysis): readonly Hit[] {
  return hits(hardline, analysis).filter(({ command }) => !command.possible);
}

export function dangerousHits(analysis: Analysis): readonly Hit[] {
  return hits(dangerous, analysis);
}

/** Those of the dangerous list that are asked about wherever the hardline holds. */
export function unsureHits(analysis: Analysis): readonly Hit[] {
  return hits(unsure, analysis);
}

const maxHits = 1000;

function hits(index: RuleIndex, analysis: Analysis): readonly Hit[] {
  const found: Hit[] = [];
  for (const command of analysis.commands) {
    index.hitsOf(command, analysis, (rule) => found.push({ rule, command }));
    if (found.length > maxHits) break;
  }
  return found;
}

/** Rule by rule, in the order of the lists. `analyse` takes an example apart. */
export function* checkRules(analyse: (text: string) => Analysis): Generator<RuleExamples> {
  for (const rule of [...hardlineRules, ...dangerousRules]) {
    const finds = (text: string): boolean => hits(new RuleIndex([rule]), analyse(text)).length > 0;
    const missed = rule.yes.filter((text) => !finds(text)).map((text) => `does not find: ${text}`);
    const wrong = rule.no.filter(finds).map((text) => `finds: ${text}`);
    yield { rule: rule.id, examples: rule.yes.length + rule.no.length, problems: [...missed, ...wrong] };
  }
}
