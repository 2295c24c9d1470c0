import { Redaction } from '../../src/redact/redactor.ts';
import type { Bench } from '../bench.ts';
import { judge, median, type Figure } from '../figure.ts';

const chunkBytes = 64 * 1024;
const mebibyte = 2 ** 20;

/** What a build prints: words, times, paths, a few names with values. */
const plain =
  '12:30:01 compiling src/exec/start.ts (3 of 240)\nok 17 - the quick brown fox, level=info, took 12 ms\n  at run (/srv/app/main.js:12:7)\n';
/** What must not keep the service. */
const hostile = ['a', '=', '-----BEGIN', ' '];

const declared = ['DEPLOY_TOKEN', 'DB_PASSWORD', 'MY_KEY', 'OTHER_SECRET'].map((name) => ({
  name,
  value: `${name}: a declared value of common length`,
}));

/** Redaction in one process that is warm, without a peer. */
export const redact: Bench = {
  name: 'redact',
  about: 'secrets taken out of a stream, and texts made to be slow',
  async *run({ quick }) {
    const rounds = quick ? 5 : 20;
    yield rate('plain output', new Redaction(), rounds);
    yield rate('plain output, four declared values', new Redaction(declared), rounds);
    for (const unit of hostile) yield slow(unit, rounds);
  },
};

function rate(figure: string, redaction: Redaction, rounds: number): Figure {
  const text = Buffer.alloc(16 * mebibyte, plain);
  const values = Array.from({ length: rounds + 1 }, () => text.length / 1e6 / (timeOf(redaction, text) / 1000));
  return judge(
    { figure, unit: 'MB/s', ours: median(values.slice(1)), baseline: null, ratio: null, n: rounds },
    { of: 'ours', is: '>=', value: 50 },
  );
}

function slow(unit: string, rounds: number): Figure {
  const text = Buffer.alloc(mebibyte, unit);
  const values = Array.from({ length: rounds + 2 }, () => timeOf(new Redaction(), text));
  return judge(
    {
      figure: `1 MiB of ${JSON.stringify(unit)}`,
      unit: 'ms',
      ours: median(values.slice(2)),
      baseline: null,
      ratio: null,
      n: rounds,
    },
    { of: 'ours', is: '<', value: 50 },
  );
}

function timeOf(redaction: Redaction, text: Buffer): number {
  const stream = redaction.stream();
  const started = performance.now();
  for (let at = 0; at < text.length; at += chunkBytes) stream.write(text.subarray(at, at + chunkBytes));
  stream.end();
  return performance.now() - started;
}
