/** Creates, uses and removes sandboxes for ever, until it is killed. Arguments: the home, a seed. */
import { flushCompileCache } from 'node:module';
import { openCaisson } from '../../src/main.ts';

const [home, seed = '0'] = process.argv.slice(2);
if (home === undefined) throw new Error('usage: crash-worker HOME SEED');
const caisson = await openCaisson({ home, env: process.env, cwd: home });
flushCompileCache(); // it is never killed softly, and the next one is to start sooner
process.stdout.write('ready\n');
for (let round = Number(seed); ; round += 1) {
  const taskId = `task-${round % 3}`;
  await caisson.run({ command: ['sh', '-c', 'echo x >/workspace/f'] });
  await caisson.run({ taskId, command: ['sh', '-c', `echo ${round} >>/workspace/log; sleep 0.05`] });
  if (round % 2 === 0) await caisson.sandboxes.remove(taskId);
}
