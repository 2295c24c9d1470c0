/** Arguments: state directory, image. A program that shares the state directory with the process that fills its pool. */
import { openCaisson } from '../../src/main.ts';
import { ourExec } from '../ours.ts';
import { pooledRequest } from '../pooled.ts';
import { serveRounds } from '../worker.ts';

const [home = '', image = ''] = process.argv.slice(2);
const caisson = await openCaisson({ home, env: process.env, cwd: home });
try {
  await serveRounds({}, (taskId) => ourExec({ caisson }, { ...pooledRequest(image), taskId }, ['echo', 'ready']));
} finally {
  await caisson.close();
}
