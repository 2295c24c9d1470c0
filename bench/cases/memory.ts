import type { Bench } from '../bench.ts';
import { child } from '../child.ts';
import { judge } from '../figure.ts';
import { CaissonError } from '../../src/errors.ts';

export const memory: Bench = {
  name: 'memory',
  about: 'peak memory of a process that runs one command with 256 MB of output',
  async *run({ place: open }) {
    const { image } = await open();
    const bytes = 256_000_000;
    // Once before, so that the compiled code is kept, as it is after anybody's first command.
    await child('memory', [image, '0']);
    const reported = await child('memory', [image, String(bytes)]);
    if (reported['bytes'] !== bytes) throw new CaissonError('internal', `${reported['bytes']} of ${bytes} bytes came`);
    const peak = (reported['peakBytes'] ?? Number.NaN) / 1_000_000;
    yield judge(
      { figure: 'peak memory', unit: 'MB', ours: peak, baseline: null, ratio: null, n: 1 },
      { of: 'ours', is: '<', value: 150 },
    );
  },
};
