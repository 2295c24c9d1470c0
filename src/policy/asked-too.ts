/** A verdict with what else was found: asked about at least. */
import type { Decision, Finding } from './types.ts';

export function askedToo(decision: Decision, findings: readonly Finding[]): Decision {
  if (findings.length === 0) return decision;
  const all = [...decision.findings, ...findings];
  if (decision.verdict === 'deny') return { ...decision, findings: all };
  const tier = decision.tier === 'none' || decision.tier === 'mode' ? 'dangerous' : decision.tier;
  return { verdict: 'ask', tier, findings: all };
}
