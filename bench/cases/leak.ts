import type { Bench } from '../bench.ts';
import { child } from '../child.ts';
import { judge, type Figure, type Target } from '../figure.ts';

/** `baseline` is the same process after 100 cycles. */
export const leak: Bench = {
  name: 'leak',
  about: '1,000 sandboxes made, used and removed, one after another: what grows in our process and what stays behind',
  async *run({ place: open, quick }) {
    const { image } = await open();
    const n = quick ? 50 : 1000;
    const reported = await child('leak', [image, String(n)]);
    const grown = (
      name: string,
      how: { readonly unit: string; readonly scale: number; readonly target: Target | null },
    ): Figure => {
      const ours = (reported[`after${name}`] ?? Number.NaN) / how.scale;
      const baseline = (reported[`before${name}`] ?? Number.NaN) / how.scale;
      return judge(
        { figure: name.toLowerCase(), unit: how.unit, ours, baseline, ratio: ours / baseline, n },
        how.target,
      );
    };
    yield grown('Rss', { unit: 'MB', scale: 1e6, target: { of: 'ratio', is: '<=', value: 1.1 } });
    yield grown('Heap', { unit: 'MB', scale: 1e6, target: null });
    yield grown('Sockets', { unit: 'sockets', scale: 1, target: { of: 'ratio', is: '<=', value: 1 } });
    const left = reported['leftContainers'] ?? Number.NaN;
    yield judge(
      { figure: 'containers left', unit: 'containers', ours: left, baseline: null, ratio: null, n },
      { of: 'ours', is: '<=', value: 0 },
    );
  },
};
