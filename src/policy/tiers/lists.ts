/** The two lists, and the check that each rule finds what its examples say. */
import type { Analysis, Simple } from '../analysis/types.ts';
import { fileRules } from './dangerous-files.ts';
import { runRules } from './dangerous-run.ts';
import { toolRules } from './dangerous-tools.ts';
import { windowsRules } from './dangerous-windows.ts';
import { hardlineRules } from './hardline.ts';
import { RuleIndex, type Rule } from './rule.ts';

export const dangerousRules: readonly Rule[] = [...fileRules, ...runRules, ...toolRules, ...windowsRules];
export { hardlineRules };

const hardline = new RuleIndex(hardlineRules);
const dangerous = new RuleIndex(dangerousRules);

export interface Hit {
  readonly rule: Rule;
  readonly command: Simple;
}

export function hardlineHits(analysis: Analysis): readonly Hit[] {
  return hits(hardline, analysis);
}

export function dangerousHits(analysis: Analysis): readonly Hit[] {
  return hits(dangerous, analysis);
}

const mostHits = 1000;

function hits(index: RuleIndex, analysis: Analysis): readonly Hit[] {
  const found: Hit[] = [];
  for (const command of analysis.commands) {
    index.hitsOf(command, analysis, (rule) => found.push({ rule, command }));
    if (found.length > mostHits) break;
  }
  return found;
}

/** Examples that do not hold; empty when all do. `analyse` takes an example apart. */
export function checkRules(analyse: (text: string) => Analysis): readonly string[] {
  return [...hardlineRules, ...dangerousRules].flatMap((rule) => {
    const finds = (text: string): boolean => {
      const analysis = analyse(text);
      return hits(new RuleIndex([rule]), analysis).length > 0;
    };
    return [
      ...rule.yes.filter((text) => !finds(text)).map((text) => `${rule.id} does not find: ${text}`),
      ...rule.no.filter(finds).map((text) => `${rule.id} finds: ${text}`),
    ];
  });
}
