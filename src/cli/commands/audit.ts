import type { AuditRecord, Verification } from '../../service/api.ts';
import { defineCommand } from '../command.ts';
import { escapeLine } from '../escape.ts';
import { plural } from '../format.ts';
import { readCount } from '../values.ts';

const defaultCount = '20';

export const auditTail = defineCommand({
  name: 'audit tail',
  summary: 'Show the last records of what was decided and run',
  about: `Of all processes that share the state directory. A record tells of a decision, a run, its exit, a
copy, or of who may talk; names of variables are in it, and never their values.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {
    lines: { type: 'text', short: 'n', value: 'N', about: `how many (default: ${defaultCount})` },
    follow: { type: 'flag', short: 'f', about: 'go on with what comes' },
  },
  examples: [
    ['what happened last', 'audit tail'],
    ['watch it, for a program', 'audit tail -f -n 0 --json'],
  ],
  run: async (given, context) => {
    const count = readCount('--lines', given.text('lines') ?? defaultCount);
    const follow = given.flag('follow');
    const { audit } = await context.service();
    for await (const record of audit.tail({ count, follow }, context.options)) {
      if (context.json) await context.printJson(record);
      else await context.print(`${escapeLine(rowOf(record))}\n`);
    }
    return 0;
  },
});

function rowOf({ seq, at, type, taskId, execId, ...rest }: AuditRecord): string {
  return [seq, at, type.padEnd(8), words(taskId ?? '-'), words(execId ?? '-'), whatOf(type, rest)].join('  ');
}

function whatOf(type: AuditRecord['type'], rest: Readonly<Record<string, unknown>>): string {
  const { command, reason, exit_code: exitCode, direction, source, target, note } = rest;
  if (type === 'run') return `${words(rest['backend'])}: ${words(command)}`;
  if (type === 'exit') return `${words(reason)} ${words(exitCode ?? note)}`.trimEnd();
  if (type === 'file') return `${words(rest['tool'])} ${words(rest['paths'])}`;
  if (type === 'copy') return `${words(direction)}: ${words(source)} -> ${words(target)}`;
  if (type === 'decision') return decisionOf(rest);
  if (type === 'loss') return `${words(rest['backend'])}: files are those of ${words(rest['since'])}`;
  if (type === 'trust') return `${words(rest['host'])} ${words(rest['fingerprint'])}`;
  if (type === 'config') return `${words(rest['what'])} ${words(rest['keys'])}`.trimEnd();
  if (type === 'access') return `${words(rest['what'])} on ${words(rest['platform'])} ${words(rest['user'])}`.trimEnd();
  if (type === 'egress') return egressOf(rest);
  return type === 'torn' ? 'a piece of a line, as a crash leaves it' : `through ${words(rest['through'])}`;
}

function egressOf(record: Readonly<Record<string, unknown>>): string {
  const { what, name, port, rule, count, added, removed } = record;
  if (what !== 'denied') return `rules: +[${words(added)}] -[${words(removed)}]`;
  const place = name === null ? '' : ` ${words(name)}:${words(port)}`;
  return `denied${place} (${words(rule)})${count === 1 ? '' : `, ${words(count)} times`}`;
}

function decisionOf(record: Readonly<Record<string, unknown>>): string {
  const { verdict, answered, command, skips_questions: skips, skill, judged, accepted, revoked, covers, by } = record;
  if (revoked !== undefined) return `revoked by ${words(by)}: ${words(covers)}`;
  if (skill !== undefined)
    return `${words(verdict)}: skill ${words(skill)}, ${words(judged)}${accepted === true ? ', accepted' : ''}`;
  if (typeof skips === 'boolean') return skips ? 'questions are skipped from here on' : 'questions are asked again';
  return `${words(verdict)}${words(answered) === '' ? '' : ` (${words(answered)})`}: ${words(command)}`;
}

function words(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(words).join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export const auditVerify = defineCommand({
  name: 'audit verify',
  summary: 'Tell whether records were changed or removed',
  about: `Each record holds the hash of the one before it. Exits 0 when all follow each other, and 1 when one does
not: then the first such record is named. A user who may write to the state directory can also write a
new chain: to find that out, keep the last hash (audit tail -n 1 --json) where they cannot write.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['look', 'audit verify'],
    ['for a program', 'audit verify --json'],
  ],
  run: async (_given, context) => {
    const verification = await (await context.service()).audit.verify();
    if (context.json) await context.printJson(verification);
    else await context.print(`${escapeLine(sentenceOf(verification))}\n`);
    return verification.intact ? 0 : 1;
  },
});

function sentenceOf({ broken, records, firstSeq, lastSeq, torn }: Verification): string {
  if (broken !== null) {
    const place = broken.line === null ? broken.file : `${broken.file}:${broken.line}`;
    return `broken at record ${broken.seq} (${place}): ${broken.reason}`;
  }
  if (records === 0) return 'intact: no records yet';
  const pieces = torn === 0 ? '' : `; ${plural(torn, 'piece')} of a line that a crash left`;
  return `intact: ${plural(records, 'record')}, ${firstSeq} to ${lastSeq}${pieces}`;
}
