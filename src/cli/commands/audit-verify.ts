import type { Verification } from '../../service/api.ts';
import { defineCommand } from '../command.ts';
import { escapeLine } from '../escape.ts';
import { plural } from '../format.ts';

export const auditVerify = defineCommand({
  name: 'audit verify',
  summary: 'Tell whether records were changed or removed',
  about: `Each record holds the hash of the one before it. Exits 0 when all follow each other, and 1 when one does
not: then the first such record is named. Whoever may write to the state directory can also write a
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
