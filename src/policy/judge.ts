/** From an analysed command, what an operator has decided and what it could touch, to a verdict. Pure. */
import type { Analysis, Feature, Simple } from '../shell/types.ts';
import { operandsOf } from '../shell/options.ts';
import { isAllowlisted } from './permission/allowlist.ts';
import { matchesNarrowly, matchesWidely } from './permission/match.ts';
import { coverage } from './permission/coverage.ts';
import { onlyReads } from './permission/models.ts';
import type { Pattern, Permission } from './permission/rules.ts';
import { strictDenied } from './permission/strict-denied.ts';
import { matchedByGlob } from './permission/text-glob.ts';
import type { Settings } from './settings.ts';
import { readsInput } from './tiers/dangerous-run.ts';
import { dangerousHits, hardlineHits, unsureHits, type Hit } from './tiers/lists.ts';
import type { Decision, Finding, Reach, Tier, Verdict } from './types.ts';
import { unheld } from './unheld.ts';
import { blockedSites } from './websites.ts';

/** Findings that are reported of one command. */
const maxFindings = 50;

interface Opinion {
  readonly verdict: Verdict;
  readonly tier: Tier;
  readonly findings: readonly Finding[];
}

const strictness: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };

export function judge(analysis: Analysis, settings: Settings, reach: Reach): Decision {
  const guarded = reach !== 'container';
  const opinions: Opinion[] = [];
  const add = (verdict: Verdict, tier: Tier, findings: readonly Finding[]): void => {
    if (findings.length > 0) opinions.push({ verdict, tier, findings });
  };
  if (guarded || settings.containerHardline)
    add('deny', 'hardline', [...hardlineHits(analysis).map(findingOf), ...unchecked(analysis)]);
  const permissions = settings.permissions.filter(({ tool }) => tool === 'terminal' || tool === 'terminal_exec');
  const dangerous = guarded || settings.profile === 'strict' ? dangerousHits(analysis) : [];
  add('deny', 'rule', matched(permissions, 'deny', analysis));
  if (settings.profile === 'strict') add('deny', 'rule', strictDenied(analysis, dangerous));
  const { websites } = settings;
  if (websites !== null) add('deny', 'rule', blockedSites(analysis, websites));
  const forbids = websites !== null || permissions.some(({ verdict }) => verdict === 'deny');
  if (forbids) add('deny', 'rule', tooDeep(analysis));
  if (guarded) add('ask', 'dangerous', dangerous.filter((hit) => !isAnswered(hit, analysis, settings)).map(findingOf));
  else if (settings.containerHardline) add('ask', 'dangerous', unsureHits(analysis).map(findingOf));
  add('ask', 'rule', matched(permissions, 'ask', analysis));
  if (guarded || permissions.length > 0 || settings.mode !== 'autonomous')
    add(
      'ask',
      guarded ? 'dangerous' : 'rule',
      guarded ? analysis.notes : unheld(analysis.notes, permissions, settings.mode),
    );
  return conclude(opinions, () => fallback(analysis, permissions, settings));
}

/** The strictest of several readings of the same command; findings of all of them. */
export function strictest(decisions: readonly Decision[]): Decision {
  const sorted = decisions.toSorted((a, b) => strictness[b.verdict] - strictness[a.verdict]);
  const [first] = sorted;
  if (first === undefined) return { verdict: 'ask', tier: 'dangerous', findings: [] };
  return { ...first, findings: distinct(sorted.flatMap(({ findings }) => findings)) };
}

function conclude(opinions: readonly Opinion[], otherwise: () => Opinion): Decision {
  // The sort is stable: among equals the earlier tier tells.
  const sorted = opinions.toSorted((a, b) => strictness[b.verdict] - strictness[a.verdict]);
  const findings = distinct(sorted.flatMap((opinion) => opinion.findings));
  const [first] = sorted;
  if (first?.verdict === 'deny') return { verdict: 'deny', tier: first.tier, findings };
  const last = otherwise();
  if (first === undefined || last.verdict === 'deny')
    return { verdict: last.verdict, tier: last.tier, findings: [...last.findings, ...findings] };
  return { verdict: first.verdict, tier: first.tier, findings };
}

function distinct(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Map<string, Finding>();
  for (const finding of findings) {
    const key = `${finding.rule} ${finding.start} ${finding.end}`;
    if (!seen.has(key)) seen.set(key, finding);
    if (seen.size >= maxFindings) break;
  }
  return [...seen.values()];
}

const findingOf = ({ rule, command }: Hit): Finding => ({
  rule: rule.id,
  description: rule.description,
  start: command.start,
  end: command.end,
});

const unchecked = ({ notes }: Analysis): readonly Finding[] => notes.filter(({ rule }) => rule === 'U0');
/** What could not be looked through may be what is forbidden. */
const tooDeep = ({ notes }: Analysis): readonly Finding[] => notes.filter(({ rule }) => rule === 'U0' || rule === 'U3');

function matched(permissions: readonly Permission[], verdict: Verdict, analysis: Analysis): readonly Finding[] {
  return permissions
    .filter((each) => each.verdict === verdict)
    .flatMap(({ pattern, text }) =>
      placesOf(pattern, analysis)
        .slice(0, maxFindings)
        .map(({ start, end }) => ({
          rule: text,
          description: verdict === 'deny' ? 'denied by a rule' : 'a rule wants it asked for',
          start,
          end,
        })),
    );
}

function placesOf(pattern: Pattern, analysis: Analysis): readonly Pick<Finding, 'start' | 'end'>[] {
  if (pattern.kind === 'text') return matchedByGlob(pattern.pieces, analysis);
  return analysis.commands.filter(
    (command) => (pattern.kind === 'tool' || command.program !== '') && matchesWidely(pattern, command),
  );
}

/** An exact rule names this very command, and so answers what the tier would ask; a prefix does not. */
function isAnswered(hit: Hit, analysis: Analysis, { permissions, commandAllowlist }: Settings): boolean {
  if (isAllowlisted(commandAllowlist, hit, analysis)) return true;
  // The words of a shell that reads its input, or a file of the text, say nothing of what it runs.
  if (readsInput(hit.command) || analysis.unread.has(hit.command)) return false;
  return permissions.some(
    ({ verdict, pattern }) => verdict === 'allow' && pattern.kind === 'exact' && matchesNarrowly(pattern, hit.command),
  );
}

function fallback(analysis: Analysis, permissions: readonly Permission[], { mode, profile }: Settings): Opinion {
  const covered = coverage(coverable(analysis, profile === 'strict'), permissions);
  if (covered.all) return { verdict: 'allow', tier: 'rule', findings: [] };
  if (mode === 'autonomous') return { verdict: 'allow', tier: 'none', findings: [] };
  if (mode !== 'supervised' && onlyLooks(analysis)) return { verdict: 'allow', tier: 'mode', findings: [] };
  const description = [`mode ${mode}`, ...covered.missed].join('; ');
  const whole = { rule: mode, description, start: 0, end: analysis.text.length };
  return { verdict: mode === 'plan' ? 'deny' : 'ask', tier: 'mode', findings: [whole] };
}

/** Features that a rule about words says nothing of. */
const beyondWords: readonly Feature[] = ['assignment', 'expansion', 'function', 'substitution', 'coproc'];

function isPlain({ notes, features, commands }: Analysis): boolean {
  return (
    notes.length === 0 &&
    !beyondWords.some((feature) => features.has(feature)) &&
    commands.every(({ redirects }) => redirects.every(isHarmless))
  );
}

function isHarmless({ operator, target }: Simple['redirects'][number]): boolean {
  return (
    target.literal &&
    !target.glob &&
    (target.text === '/dev/null' || (operator === '<' && !target.text.startsWith('/dev/')))
  );
}

/** The commands that rules for words can answer for; none where something else happens too. `alone`: a single one. */
function coverable(analysis: Analysis, alone: boolean): readonly Simple[] {
  if (!isPlain(analysis)) return [];
  const commands = analysis.commands.filter(({ program }) => program !== '');
  return alone && !standsAlone(analysis, commands) ? [] : commands;
}

const standsAlone = ({ features, commands: all }: Analysis, commands: readonly Simple[]): boolean =>
  commands.length <= 1 &&
  features.size === 0 &&
  !commands.some(readsSeveral) &&
  all.every(({ redirects, stdin }) => redirects.length === 0 && stdin === null);

/** The preset `strict` lets single files be read. */
const readsSeveral = ({ program, words }: Simple): boolean =>
  /^(?:cat|type|get-content)$/.test(program ?? '') && operandsOf(words.slice(1)).length > 1;

function onlyLooks(analysis: Analysis): boolean {
  return (
    isPlain(analysis) &&
    analysis.commands.length > 0 &&
    analysis.commands.every(
      (command) => command.program !== '' && command.assignments.length === 0 && onlyReads(command),
    )
  );
}
