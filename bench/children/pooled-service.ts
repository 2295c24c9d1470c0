/** Arguments: image, size of the pool. `caisson serve` that keeps a pool; a round waits until all members are ready. */
import { createWriteStream } from 'node:fs';
import { serve } from '../../src/http/serve.ts';
import { openPooled, untilReady } from '../pooled.ts';
import { serveRounds } from '../worker.ts';

const [image = '', size = '1'] = process.argv.slice(2);
const place = await openPooled(image, Number(size));
const { caisson } = place;
try {
  const { token } = await caisson.tokens.create({ name: 'bench', scopes: ['run', 'read'] }, 'bench');
  const settings = { ...caisson.config.server, port: 0, shutdown_seconds: 1 };
  const serving = await serve(caisson, { settings, isPublic: false, log: createWriteStream('/dev/null') });
  await serveRounds({ url: serving.url, token }, async (taskId) => {
    if (taskId !== '') await caisson.sandboxes.remove(taskId);
    await untilReady(caisson);
  });
  await serving.stop();
} finally {
  await place.close();
}
