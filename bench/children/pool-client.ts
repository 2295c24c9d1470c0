/** Arguments: URL, token, image. A program that runs commands by `caisson/client`, each in the sandbox of a task that has none yet. */
import { connectCaisson } from '../../src/client/connect.ts';
import { CaissonError } from '../../src/errors.ts';
import { pooledRequest } from '../pooled.ts';
import { serveRounds } from '../worker.ts';

const [url = '', token = '', image = ''] = process.argv.slice(2);
await using client = connectCaisson({ url, token });
await client.execs.list({ limit: 1 }); // a client of a service has asked before

await serveRounds({}, async (taskId) => {
  const { exit, stdout } = await client.run({
    ...pooledRequest(image),
    taskId,
    command: ['echo', 'ready'],
    timeoutMs: null,
  });
  if (exit.exitCode !== 0 || stdout.text !== 'ready\n')
    throw new CaissonError('internal', `it ended with ${exit.reason}`);
});
