import type { AuditFilter, AuditRecord, Verification } from '../../service/api.ts';
import { auditHead, auditLine, auditRow } from '../audit.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import type { GivenOptions } from '../option.ts';
import { escapeLine } from '../escape.ts';
import { plural } from '../format.ts';
import { screenWidth } from '../screen.ts';
import { readChoice, readCount, readMoment } from '../values.ts';

const defaultCount = '20';

export const auditTail = defineCommand({
  name: 'audit tail',
  summary: 'Show the last records of what was decided and run',
  about: `Of all processes that share the state directory. A record tells of a decision, a run, its exit, a
copy, or of who may talk; names of variables are in it, and never their values. Records go when all
take more than audit.store_bytes, the oldest first.

All filters that are given must hold. BY is the token that asked, or the person who answered a
question. A moment is 2h (ago), today, yesterday, 2026-11-26 or a whole time.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {
    lines: { type: 'text', short: 'n', value: 'N', about: `how many (default: ${defaultCount})` },
    follow: { type: 'flag', short: 'f', about: 'go on with what comes' },
    since: { type: 'text', value: 'MOMENT', about: 'only records of this moment and of later ones' },
    until: { type: 'text', value: 'MOMENT', about: 'only records of earlier moments' },
    task: { type: 'text', value: 'TASK', about: 'only of this task, or of this sandbox' },
    owner: { type: 'text', value: 'OWNER', about: 'only of this owner' },
    verdict: { type: 'text', value: 'VERDICT', about: 'only decisions: allow, ask or deny' },
    rule: { type: 'text', value: 'TEXT', about: 'only decisions by a rule that holds this text' },
  },
  examples: [
    ['what happened last', 'audit tail'],
    ['what was refused since yesterday, and by which rule', 'audit tail --since yesterday --verdict deny'],
    ['watch it, for a program', 'audit tail -f -n 0 --json'],
  ],
  run: async (given, context) => {
    const count = readCount('--lines', given.text('lines') ?? defaultCount);
    const how = { ...filterOf(given, context.world.nowMs()), count, follow: given.flag('follow') };
    const { audit } = await context.service();
    const records = audit.tail(how, context.options);
    if (context.json) for await (const record of records) await context.printJson(record);
    // What is followed comes line by line, under no header whose widths could hold.
    else if (how.follow) for await (const record of records) await context.print(`${escapeLine(auditLine(record))}\n`);
    else await printRecords(await Array.fromAsync(records), context);
    return 0;
  },
});

async function printRecords(records: readonly AuditRecord[], context: Context): Promise<void> {
  if (records.length === 0 && screenWidth(context.world) !== null)
    context.notice('no record of the kind is kept; caisson audit tail --help tells for how long');
  else await context.printTable(auditHead, records.map(auditRow));
}

type Names = 'since' | 'until' | 'task' | 'owner' | 'verdict' | 'rule';

function filterOf(given: Pick<GivenOptions<Names>, 'text'>, nowMs: number): AuditFilter {
  const [since, until, verdict] = [given.text('since'), given.text('until'), given.text('verdict')];
  const [task, owner, rule] = [given.text('task'), given.text('owner'), given.text('rule')];
  return {
    ...(since === undefined ? {} : { since: readMoment('--since', since, nowMs) }),
    ...(until === undefined ? {} : { until: readMoment('--until', until, nowMs) }),
    ...(verdict === undefined ? {} : { verdict: readChoice('--verdict', verdict, ['allow', 'ask', 'deny']) }),
    ...(task === undefined ? {} : { task }),
    ...(owner === undefined ? {} : { owner }),
    ...(rule === undefined ? {} : { rule }),
  };
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
