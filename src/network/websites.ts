/** The rules of the website policy together, found by host. Pure. */
import { createHash } from 'node:crypto';
import type { WebsiteRule } from '../values/website-rule.ts';

export interface SourcedRule extends WebsiteRule {
  /** For people: a key of the configuration, or file and line. */
  readonly source: string;
}

export interface Websites {
  /** Changes with every rule. */
  readonly version: string;
  readonly rules: readonly SourcedRule[];
  /** The rule that blocks a host, given as `canonicalHost` has it; the one nearest to its name first. */
  readonly find: (host: string) => SourcedRule | null;
}

export function indexWebsites(rules: readonly SourcedRule[]): Websites {
  const [whole, below] = [indexed(rules, false), indexed(rules, true)];
  return {
    rules,
    version: createHash('sha256')
      .update(rules.map(({ host, onlyBelow }) => `${onlyBelow ? '*.' : ''}${host}\n`).join(''))
      .digest('hex'),
    find: (host) => {
      let rule = whole.get(host);
      for (let dot = host.indexOf('.'); rule === undefined && dot >= 0; dot = host.indexOf('.', dot + 1)) {
        const parent = host.slice(dot + 1);
        rule = whole.get(parent) ?? below.get(parent);
      }
      return rule ?? null;
    },
  };
}

/** The first of several that say the same is reported. */
function indexed(rules: readonly SourcedRule[], onlyBelow: boolean): ReadonlyMap<string, SourcedRule> {
  const chosen = rules.filter((rule) => rule.onlyBelow === onlyBelow).toReversed();
  return new Map(chosen.map((rule) => [rule.host, rule]));
}
