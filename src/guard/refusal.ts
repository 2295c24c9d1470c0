/** How the refusal of a command is worded: what was found, where, and what can be done about it. */
import { CaissonError, type Code } from '../errors.ts';
import { findingText } from '../policy/approval/finding-text.ts';
import type { Decision } from '../policy/types.ts';
import { laterInput } from '../shell/types.ts';
import type { Call } from './call.ts';

/** Why the answer to a question was no. */
export type Unanswered = 'no-approver' | 'timed-out' | 'too-many' | 'lost';

const maxShown = 5;
const maxRuleUnits = 300;

/** `remedy`: where something else than the command can be corrected. */
export function deniedError(call: Call, decision: Decision, remedy?: string): CaissonError {
  const always = decision.tier === 'hardline' ? ', in every mode, with any approver' : '';
  return guardError('policy_denied', `${nameOfCall(call)} is refused${always}: ${describe(decision)}`, {
    call,
    decision,
    remedy:
      remedy ??
      (decision.tier === 'hardline'
        ? 'if it is really meant, run it yourself outside Caisson; it must not be tried in another form'
        : 'do something else, or have the operator change the rule; it must not be tried in another form'),
  });
}

export function answeredNoError(call: Call, decision: Decision): CaissonError {
  return guardError('policy_denied', `${nameOfCall(call)} was asked for and refused: ${describe(decision)}`, {
    call,
    decision,
    remedy: 'do something else; it must not be tried again, nor in another form',
  });
}

const toAttend: readonly string[] = ['run it from a terminal', 'give the service an approver'];
const oneOf = (ways: readonly string[]): string => `${ways.slice(0, -1).join(', ')}, or ${ways.at(-1)}`;

const reasons: Readonly<Record<Unanswered, readonly [message: string, remedy: string]>> = {
  'no-approver': ['no approver is here', oneOf(toAttend)],
  'timed-out': ['no answer came in time', 'try again when somebody is there, or raise approvals.timeout'],
  'too-many': ['too many commands wait for an answer', 'wait until those have been answered'],
  lost: ['the process that asked has ended', 'run it again'],
};

/** `rules`: those that would allow exactly this call; empty where no rule can. */
export function unansweredError(
  call: Call,
  decision: Decision,
  { why, rules = [] }: { readonly why: Unanswered; readonly rules?: readonly string[] },
): CaissonError {
  const [message, usual] = reasons[why];
  const otherwise = why === 'no-approver' ? attended(call, decision) : usual;
  const remedy = rules.length === 0 ? otherwise : `${otherwise}; ${allowedBy(rules, call)}`;
  return guardError(
    'approval_required',
    `${nameOfCall(call)} needs an approval, and ${message}: ${describe(decision)}`,
    {
      call,
      decision,
      remedy,
      why,
    },
  );
}

/** A container is another place for what is dangerous to a host, and a session one for what a shell reads. */
function attended({ reach }: Call, { findings }: Decision): string {
  const isLater = findings.some(({ rule }) => rule === laterInput.rule);
  const others = [
    ...(reach === 'container' ? [] : ['use a container']),
    ...(isLater ? ['use caisson session run, which judges each line'] : []),
  ];
  return oneOf([...toAttend, ...others]);
}

/** A pattern such as terminal(rm:*) allows nothing that is dangerous, so that the rule is exact. */
function allowedBy(rules: readonly string[], { masked = (word) => word }: Call): string {
  const shown = rules.join(', ');
  const isPresentable = shown.length <= maxRuleUnits && masked(shown) === shown && !/[^ -~]/.test(shown);
  const which = isPresentable ? shown : 'terminal(COMMAND), word for word';
  return `to have exactly this allowed, add to approvals.rules.allow: ${which}`;
}

interface Refused {
  readonly call: Call;
  readonly decision: Decision;
  readonly remedy: string;
  readonly why?: Unanswered;
}

function guardError(code: Code, message: string, { call, decision, remedy, why }: Refused): CaissonError {
  const { verdict, tier, findings } = decision;
  const { taskId, backend, execId } = call;
  return new CaissonError(code, message, {
    remedy,
    details: { verdict, tier, findings, taskId, backend, execId, ...(why === undefined ? {} : { reason: why }) },
  });
}

function describe({ findings }: Decision): string {
  const distinct = [...new Set(findings.map(findingText))];
  const more = distinct.length > maxShown ? ` and ${distinct.length - maxShown} more` : '';
  return distinct.length === 0 ? 'it could not be judged' : `${distinct.slice(0, maxShown).join(', ')}${more}`;
}

function nameOfCall({ subject }: Call): string {
  if (subject.kind !== 'file') return 'the command';
  const { tool, paths } = subject;
  // What a tool of a server was given may be long, and hold a secret.
  return `${tool} of ${tool === 'mcp' ? paths[0] : paths.join(', ')}`;
}
