/** Starts detached processes for ever, until it is killed. Arguments: the home, a task, a prefix for ids. Prints each id that was accepted. */
import { flushCompileCache } from 'node:module';
import { openCaisson } from '../../../src/main.ts';

const [home, taskId, prefix] = process.argv.slice(2);
if (home === undefined || taskId === undefined || prefix === undefined)
  throw new Error('usage: service.process HOME TASK PREFIX');
const caisson = await openCaisson({ home, env: process.env, cwd: home });
flushCompileCache(); // it is never killed softly, and the next one is to start sooner
for (let round = 0; ; round += 1) {
  const status = round % 5;
  const text = `i=0; while [ $i -lt 20 ]; do echo "line $i"; echo "err $i" >&2; i=$((i+1)); sleep 0.05; done; exit ${status}`;
  const { id } = await caisson.processes.start({
    taskId,
    existing: true,
    execId: `exec_${prefix}-${round}`,
    command: ['sh', '-c', text],
  });
  process.stdout.write(`${id} ${status}\n`);
  await new Promise((resolve) => setTimeout(resolve, 300));
}
