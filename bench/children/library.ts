/** Argument: image. A program that runs commands through the library. */
import { ourExec } from '../ours.ts';
import { openPlace, withSandbox } from '../place.ts';
import { serveRounds } from '../worker.ts';

const place = await openPlace(process.argv[2] ?? null);
try {
  await withSandbox(place, (taskId) =>
    serveRounds({}, () => ourExec(place, { taskId, existing: true }, ['echo', 'x'])),
  );
} finally {
  await place.close();
}
