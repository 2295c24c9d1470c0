/** Records of the audit as rows and lines. Pure. */
import type { AuditRecord } from '../service/api.ts';
import type { Head } from './table.ts';

type Details = Readonly<Record<string, unknown>>;

export const auditHead: Head = [
  { title: 'SEQ', drop: 6 },
  { title: 'TIME', drop: 1 },
  { title: 'OWNER', drop: 3 },
  { title: 'BY', drop: 4 },
  'TASK',
  { title: 'EXEC', drop: 5 },
  { title: 'TYPE', colour: (type) => (type === 'decision' ? 'yellow' : null) },
  'WHAT',
];

export function auditRow({ seq, at, type, taskId, execId, owner, ...rest }: AuditRecord): readonly string[] {
  const dashed = (value: unknown): string => words(value) || '-';
  return [
    String(seq),
    at.slice(0, 19).replace('T', ' '),
    dashed(owner),
    dashed(rest['by'] ?? rest['token']),
    dashed(taskId),
    dashed(execId),
    type,
    whatOf(type, rest),
  ];
}

export const auditLine = (record: AuditRecord): string => auditRow(record).join('  ');

function whatOf(type: AuditRecord['type'], rest: Details): string {
  const { reason, exit_code: exitCode, direction, source, target, note } = rest;
  if (type === 'run') return runOf(rest);
  if (type === 'exit')
    return rest['started'] === false ? 'did not start' : `${words(reason)} ${words(exitCode ?? note)}`.trimEnd();
  if (type === 'file') return `${words(rest['tool'])} ${words(rest['paths'])}`;
  if (type === 'copy') return `${words(direction)}: ${words(source)} -> ${words(target)}`;
  if (type === 'decision') return decisionOf(rest);
  if (type === 'abandon') return `${words(rest['backend'])}: given up, its host does not answer`;
  if (type === 'loss') return `${words(rest['backend'])}: files are those of ${words(rest['since'])}`;
  if (type === 'trust') return `${words(rest['host'])} ${words(rest['fingerprint'])}`;
  if (type === 'config') return `${words(rest['what'])} ${words(rest['keys'])}`.trimEnd();
  if (type === 'access') return accessOf(rest);
  if (type === 'egress') return egressOf(rest);
  return type === 'torn' ? 'a piece of a line, as a crash leaves it' : `through ${words(rest['through'])}`;
}

function runOf({ backend, user, command }: Details): string {
  return `${words(backend)}${user === undefined ? '' : ` as ${words(user)}`}: ${words(command)}`;
}

function accessOf({ what, platform, user, name, token }: Details): string {
  return `${words(what)} on ${words(platform)} ${words(user) || words(name) || words(token)}`.trimEnd();
}

function egressOf(record: Details): string {
  const { what, name, port, rule, count, added, removed } = record;
  if (what !== 'denied') return `rules: +[${words(added)}] -[${words(removed)}]`;
  const place = name === null ? '' : ` ${words(name)}:${words(port)}`;
  return `denied${place} (${words(rule)})${count === 1 ? '' : `, ${words(count)} times`}`;
}

function decisionOf(record: Details): string {
  const { verdict, answered, command, skips_questions: skips, skill, judged, accepted, revoked, covers, by } = record;
  if (revoked !== undefined) return `revoked by ${words(by)}: ${words(covers)}`;
  if (skill !== undefined)
    return `${words(verdict)}: skill ${words(skill)}, ${words(judged)}${accepted === true ? ', accepted' : ''}`;
  if (typeof skips === 'boolean') return skips ? 'questions are skipped from here on' : 'questions are asked again';
  if (record['approval'] !== undefined) return answerOf(record);
  const rule = ruleOf(record);
  const why = [words(answered), rule === '' ? '' : `rule ${rule}`].filter((each) => each !== '').join(', ');
  return `${words(verdict)}${why === '' ? '' : ` (${why})`}: ${words(command) || words(record['message'])}`;
}

/** An answer to a question, with what it was about. */
function answerOf(record: Details): string {
  const { approval, choice, answered, by, message, covers } = record;
  const what = words(choice) || words(answered) || words(record['verdict']);
  const about = words(record['command']) || words(covers) || words(message);
  return `answered ${what} by ${words(by) || '-'} to ${words(approval)}${about === '' ? '' : `: ${about}`}`;
}

/** The rule of a refusal, or of the first finding. */
function ruleOf({ rule, findings }: Details): string {
  if (typeof rule === 'string') return rule;
  const first: unknown = Array.isArray(findings) ? findings.at(0) : null;
  return words(Reflect.get(Object(first), 'rule'));
}

function words(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(words).join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
