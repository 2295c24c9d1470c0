/** Arguments: image, bytes. One command that prints so much, its output collected as `run` does. */
import { openPlace, request } from '../place.ts';

const [image = '', bytes = ''] = process.argv.slice(2);
const place = await openPlace(image);
try {
  const { stdout } = await place.caisson.run({
    ...request(place),
    command: ['head', '-c', bytes, '/dev/zero'],
    timeoutMs: null,
  });
  process.stdout.write(JSON.stringify({ bytes: stdout.bytes, peakBytes: process.resourceUsage().maxRSS * 1024 }));
} finally {
  await place.close();
}
