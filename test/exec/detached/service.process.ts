/** Starts detached processes for ever, until it is killed. Arguments: the home, a prefix for ids. Prints each id that was accepted. */
import { openCaisson } from '../../../src/main.ts';

const [home, prefix] = process.argv.slice(2);
if (home === undefined || prefix === undefined) throw new Error('usage: service.process HOME PREFIX');
const caisson = await openCaisson({ home, env: process.env, cwd: home });
for (let round = 0; ; round += 1) {
  const status = round % 5;
  const text = `i=0; while [ $i -lt 20 ]; do echo "line $i"; echo "err $i" >&2; i=$((i+1)); sleep 0.05; done; exit ${status}`;
  const { id } = await caisson.detach({
    taskId: 'work',
    existing: true,
    execId: `exec_${prefix}-${round}`,
    command: ['sh', '-c', text],
  });
  process.stdout.write(`${id} ${status}\n`);
  await new Promise((resolve) => setTimeout(resolve, 300));
}
