/** Claims of one process of several. Arguments: the home, a name for its tasks, how many. It begins when its stdin says so. */
import { once } from 'node:events';
import { openCaisson } from '../../src/main.ts';
import { claimOne } from './pool-claims.ts';

const [home = '', name = '', count = '0'] = process.argv.slice(2);
const caisson = await openCaisson({ home, env: process.env, cwd: home });
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const tasks = Array.from({ length: Number(count) }, (_, index) => `${name}-${index}`);
const claims = [];
for (const taskId of tasks) claims.push(await claimOne(caisson, taskId));
process.stdout.write(`${JSON.stringify(claims)}\n`);
await caisson.close();
process.stdin.destroy();
