/** Rules that would have answered what people answered again and again. Pure. */
import type { ApprovalRow } from '../store/store.ts';
import { ownerOf } from '../values/owner.ts';

export interface RuleSuggestion {
  /** Owner in whose tasks it was asked. */
  readonly owner: string;
  /** Rule for `approvals.rules.allow`. */
  readonly rule: string;
  /** How often it was answered "once" or "session" within the last week. */
  readonly times: number;
  /** How many tasks asked it. */
  readonly tasks: number;
  /** RFC 3339, UTC. When it was asked last. */
  readonly lastAt: string;
}

/** Fewer answers are no habit. */
const minTimes = 3;
/** Findings of dangerous classes: what is destructive is asked each time. */
const dangerous = /^[HD]\d/;

export function suggestedRules(
  rows: readonly ApprovalRow[],
  known: (owner: string, rule: string) => boolean,
): readonly RuleSuggestion[] {
  const asked = rows.flatMap((row) => rulesOf(row).map((rule) => ({ owner: ownerOf(row.taskId), rule, row })));
  const groups = Map.groupBy(asked, ({ owner, rule }) => `${owner} ${rule}`);
  return [...groups.values()]
    .flatMap((group): readonly RuleSuggestion[] => {
      const [first] = group;
      if (first === undefined || group.length < minTimes || known(first.owner, first.rule)) return [];
      const tasks = new Set(group.map(({ row }) => row.taskId)).size;
      const lastAt = new Date(Math.max(...group.map(({ row }) => row.createdAt))).toISOString();
      return [{ owner: first.owner, rule: first.rule, times: group.length, tasks, lastAt }];
    })
    .toSorted((a, b) => b.times - a.times || a.rule.localeCompare(b.rule));
}

/** What "always" would have saved; nothing where it was not offered, or a finding is of a dangerous class. */
function rulesOf({ choice, question }: ApprovalRow): readonly string[] {
  if (choice !== 'once' && choice !== 'session') return [];
  const { proposal, findings, tier, choices } = question;
  const offered = Array.isArray(choices) && choices.includes('always');
  if (!offered || tier === 'dangerous' || tier === 'hardline' || isDangerous(findings)) return [];
  return Array.isArray(proposal) ? proposal.filter((rule) => typeof rule === 'string') : [];
}

const isDangerous = (findings: unknown): boolean =>
  !Array.isArray(findings) ||
  findings.some((each: unknown) => dangerous.test(String(Reflect.get(Object(each), 'rule'))));
