/** Opens lanes in the sandbox of a task, and then only lives, until it is killed. Arguments: the home, the backend. */
import { openCaisson } from '../../src/main.ts';

const [home = '', backend = ''] = process.argv.slice(2);
const caisson = await openCaisson({ home, env: process.env, cwd: home });
for (let count = 0; count < 6; count += 1) await caisson.run({ taskId: 'lanes', backend, command: ['true'] });
await Promise.all([1, 2, 3].map(() => caisson.run({ taskId: 'lanes', backend, command: ['sleep', '0.3'] })));
process.stdout.write('ready\n');
setInterval(() => undefined, 60_000);
