/** One verb on the sandbox of the task `demo`, in a process that a test has killed on the way. Arguments: home, verb. */
import { openCaisson } from '../../src/main.ts';

const [home = '', verb = ''] = process.argv.slice(2);
const caisson = await openCaisson({
  home,
  env: process.env,
  cwd: home,
  backends: { disk: () => import('../fixtures/disk-backend/backend.ts') },
});
const { sandboxes } = caisson;
if (verb === 'create') await caisson.run({ taskId: 'demo', command: ['sh', '-c', 'echo first >>note'] });
if (verb === 'stop') await sandboxes.stop('demo');
if (verb === 'start') await sandboxes.start('demo');
if (verb === 'destroy') await sandboxes.remove('demo');
await caisson.close();
