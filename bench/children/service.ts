/** Argument: image. `caisson serve` with a sandbox, as a process of its own; it runs until its parent lets it go. */
import { createWriteStream } from 'node:fs';
import { serve } from '../../src/http/serve.ts';
import { openPlace, withSandbox } from '../place.ts';
import { serveRounds } from '../worker.ts';

const place = await openPlace(process.argv[2] ?? null);
const { caisson } = place;
try {
  const { token } = await caisson.tokens.create({ name: 'bench', scopes: ['run', 'read'] }, 'bench');
  const settings = { ...caisson.config.server, port: 0, shutdown_seconds: 1 };
  const serving = await serve(caisson, { settings, isPublic: false, log: createWriteStream('/dev/null') });
  await withSandbox(place, (taskId) =>
    serveRounds({ url: `${serving.url}/v1/sandboxes/${taskId}/execs`, token }, () => Promise.resolve()),
  );
  await serving.stop();
} finally {
  await place.close();
}
