/**
 * `node scripts/compare.ts OTHER [BENCH...] [--pairs N]`: the benches of this checkout and of another one, in turn and on one
 * private engine, and the median of the ratios of what each measured of itself with the smallest and the largest ratio
 * (of seven pairs, these two hold the true median with 98 %). Machines are noisy: only ratios of neighbours mean
 * something, and the checkouts take turns at being first. Above 1 this checkout is slower.
 */
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startEngine } from '../test/engines/engine.ts';

interface Figure {
  readonly bench: string;
  readonly figure: string;
  readonly unit: string;
  readonly ours: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pairs: { type: 'string', default: '7' } },
});
const [other, ...names] = positionals;
if (other === undefined) throw new Error('usage: node scripts/compare.ts OTHER [BENCH...] [--pairs N]');
const here = fileURLToPath(new URL('..', import.meta.url));
const engine = await startEngine('plain');
try {
  await compare([here, resolve(other)], names.length === 0 ? ['exec', 'lanes', 'cold'] : names);
} finally {
  await engine.stop();
}

async function compare([ours, theirs]: readonly [string, string], benches: readonly string[]): Promise<void> {
  const ratios = new Map<string, number[]>();
  for (let pair = 0; pair < Number(values.pairs); pair += 1) {
    for (const bench of benches) {
      const first = await figuresOf(pair % 2 === 0 ? ours : theirs, bench);
      const second = await figuresOf(pair % 2 === 0 ? theirs : ours, bench);
      const mine = pair % 2 === 0 ? first : second;
      const old = pair % 2 === 0 ? second : first;
      for (const { figure, unit, ours: value } of mine) {
        const before = old.find((one) => one.figure === figure)?.ours;
        if (before === undefined || before === 0 || value === 0) continue;
        const ratio = unit.includes('/s') ? before / value : value / before;
        const name = `${bench}: ${figure} (${unit})`;
        ratios.set(name, [...(ratios.get(name) ?? []), ratio]);
      }
    }
    console.log(`pair ${pair + 1} of ${values.pairs}`);
  }
  for (const [name, list] of ratios) console.log(`${interval(list)}  ${name}`);
}

function interval(list: readonly number[]): string {
  const [low, high] = [Math.min(...list), Math.max(...list)];
  return `${median(list).toFixed(3)} [${low.toFixed(3)} to ${high.toFixed(3)}]`;
}

async function figuresOf(checkout: string, bench: string): Promise<readonly Figure[]> {
  const args = [join(checkout, 'bench/main.ts'), bench, '--json', '--quick'];
  const child = spawn(process.execPath, args, {
    cwd: checkout,
    env: { ...process.env, DOCKER_HOST: engine.host },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await new Promise((resolve_, reject) => child.once('close', resolve_).once('error', reject));
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map(readFigure);
}

function median(list: readonly number[]): number {
  const sorted = list.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function readFigure(line: string): Figure {
  const value: unknown = JSON.parse(line);
  if (typeof value !== 'object' || value === null) throw new Error(`not a figure: ${line}`);
  const of = (key: string): unknown => Reflect.get(value, key);
  return {
    bench: String(of('bench')),
    figure: String(of('figure')),
    unit: String(of('unit')),
    ours: Number(of('ours')),
  };
}
