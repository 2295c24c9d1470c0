/** Appends records until it is killed, or to a count: `writer.process.ts DIRECTORY STORE_BYTES COUNT`. */
import { auditIn } from '../../src/audit/log.ts';

const [directory = '', storeBytes = '', count = ''] = process.argv.slice(2);
const fileBytes = 16 * 1024 ** 2;
const audit = auditIn(directory, { storeBytes: Number(storeBytes), fileBytes, holder: `own_${process.pid}` });
for (let n = 1; n <= Number(count); n += 1) {
  await audit.record({ type: 'run', taskId: 't', execId: `exec_${process.pid}_${n}`, command: ['x'.repeat(n % 700)] });
  if (n === 1) process.stdout.write('started\n');
}
audit.close();
