/** Runs a command in a process that a test kills. Argument: the state directory. */
import { openCaisson } from '../../src/main.ts';

const [home = ''] = process.argv.slice(2);
const caisson = await openCaisson({ home, env: process.env, cwd: home });
const ended = await caisson.exec({ taskId: 'work', command: ['true'] });
ended.ignore();
await ended.exit;
const running = await caisson.exec({ taskId: 'work', command: ['sleep', '30'] });
running.ignore();
// Until starts and ends are written.
setTimeout(() => console.log(`${ended.id} ${running.id}`), 500);
await running.exit;
