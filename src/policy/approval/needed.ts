/** What of a verdict `ask` still needs an answer, and which answers are possible. Pure. */
import type { Decision, Finding } from '../types.ts';
import { laterInput } from '../../shell/types.ts';

/**
 * `dangerous`: a rule of the dangerous list. `unclear`: something that could not be read or known. `rule`: an operator
 * wants it asked for. `mode`: the mode asks for everything of its kind.
 */
export type Kind = 'dangerous' | 'unclear' | 'rule' | 'mode';

export function kindOf({ rule }: Finding): Kind {
  if (/^D\d+[a-z]*$/.test(rule)) return 'dangerous';
  if (/^U\d+$/.test(rule)) return 'unclear';
  return /^(?:cautious|supervised)$/.test(rule) ? 'mode' : 'rule';
}

/** What somebody has decided for longer than one command. */
export interface StandingAnswers {
  /** YOLO, or `approvals.mode: off`. */
  readonly skips: boolean;
  /** Keys of `sessionKey` that were approved for the session. */
  readonly session: ReadonlySet<string>;
  /** Identity of the exact command. */
  readonly exact: string;
}

/** The findings without an answer. A rule that asks is asked every time, whatever was said before. */
export function unansweredOf({ findings }: Decision, standing: StandingAnswers): readonly Finding[] {
  return findings.filter((finding) => {
    if (kindOf(finding) === 'rule') return true;
    return !standing.skips && !standing.session.has(sessionKey(finding, standing.exact));
  });
}

/** Findings that say nothing on what will run: each variable makes another program of the same command. */
const neverKinds: ReadonlySet<string> = new Set(['D27']);

/** What "for this session" means for a finding: its kind of danger, or else exactly this command. */
export function sessionKey(finding: Finding, exact: string): string {
  return isOfKind(finding) ? finding.rule : `${finding.rule} ${exact}`;
}

const isOfKind = (finding: Finding): boolean =>
  isLaterInput(finding) || (kindOf(finding) === 'dangerous' && !neverKinds.has(finding.rule));

/** The words of a shell say nothing of what is typed into it: an answer for exactly this shell would not be narrower. */
const isLaterInput = ({ rule }: Finding): boolean => rule === laterInput.rule;

interface Granted {
  readonly key: string;
  /** For people. */
  readonly covers: string;
  /** Exactly this command, not a kind of danger. */
  readonly isExact: boolean;
}

/** What the answer "session" to a question about these findings grants. */
export function grantedBy(findings: readonly Finding[], exact: string): readonly Granted[] {
  return findings.map((finding) => ({
    key: sessionKey(finding, exact),
    covers: isLaterInput(finding)
      ? 'shells whose input is not judged'
      : isOfKind(finding)
        ? finding.description
        : 'exactly this command',
    isExact: !isOfKind(finding),
  }));
}

export type Scope = 'once' | 'session' | 'always' | 'deny';

/** `proposal`: rules that could be saved; `null` when none can. */
export function choicesFor(findings: readonly Finding[], proposal: readonly string[] | null): readonly Scope[] {
  const kinds = new Set(findings.map(kindOf));
  if (findings.length === 0 || kinds.has('rule')) return ['once', 'deny'];
  const saved = proposal !== null && !kinds.has('unclear');
  return saved ? ['once', 'session', 'always', 'deny'] : ['once', 'session', 'deny'];
}

/** Whether an answer that no person gives may let it run: never against a rule that asks, nor into the unknown. */
export function mayPassUnseen(findings: readonly Finding[]): boolean {
  return findings.length > 0 && findings.every((finding) => kindOf(finding) !== 'rule');
}
