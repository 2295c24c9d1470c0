/** Arguments: image, bytes. One command that prints so much, its output collected as `run` does. */
import { readFileSync } from 'node:fs';
import { CaissonError } from '../../src/errors.ts';
import { openPlace, request } from '../place.ts';

const [image = '', bytes = ''] = process.argv.slice(2);
const place = await openPlace(image);
try {
  const { stdout } = await place.caisson.run({
    ...request(place),
    command: ['head', '-c', bytes, '/dev/zero'],
    timeoutMs: null,
  });
  process.stdout.write(JSON.stringify({ bytes: stdout.bytes, peakBytes: peakBytes() }));
} finally {
  await place.close();
}

/** Peak of this program alone: getrusage(2) would give the peak of the parent, if higher (proc_pid_status(5)). */
function peakBytes(): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  if (kilobytes === undefined) throw new CaissonError('internal', '/proc/self/status tells no peak');
  return Number(kilobytes) * 1024;
}
