/**
 * A process of its own on the state directory of argv. `approve CODE` waits for a line on stdin, and prints what came of
 * it. `churn` lets strangers in and puts them out again until it is killed, and prints each as it is in.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { Access } from '../../src/access/open.ts';
import { auditIn } from '../../src/audit/log.ts';
import { loadConfig } from '../../src/config/load.ts';
import { known } from '../config/known.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import { toCaissonError } from '../../src/errors.ts';

const [, , home = '', what = '', code = ''] = process.argv;
const loaded = await loadConfig({ backends: known, home, env: {}, cwd: home });
const { store } = await openStore(join(home, 'caisson.db'));
const audit = auditIn(join(home, 'audit'), { storeBytes: null, fileBytes: 1e6, holder: store.holderId });
const access = new Access({ loaded, store, audit });
console.log('ready');
if (what === 'approve') {
  await once(process.stdin, 'data');
  const outcome = await access.approve('telegram', code, `${process.pid}`).then(
    () => 'granted',
    (error: unknown) => toCaissonError(error).code,
  );
  console.log(outcome);
  process.stdin.destroy();
  audit.close();
  await store.close();
}
if (what === 'churn')
  for (let count = 0; ; count += 1) {
    const id = `${process.pid}-${count}`;
    const hearing = await access.message({ platform: 'telegram', from: { ids: [id] }, channel: null, addressed: null });
    if (hearing.what !== 'pair') throw new Error(JSON.stringify(hearing));
    await access.approve('telegram', hearing.code, 'churn');
    console.log(id);
    if (count % 2 === 1) await access.revoke('telegram', id, 'churn');
  }
