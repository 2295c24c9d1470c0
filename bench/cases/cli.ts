import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Bench } from '../bench.ts';
import { figuresOf } from '../figure.ts';
import { interleave, timed, type Sample } from '../interleave.ts';

const execute = promisify(execFile);
const caisson = fileURLToPath(new URL('../../bin/caisson.cjs', import.meta.url));

/** Whole processes of the same node. */
export const cli: Bench = {
  name: 'cli',
  about: 'caisson --version and --help, against `node -e 0`',
  async *run({ quick }) {
    const rounds = quick ? { warmUp: 2, rounds: 8 } : { warmUp: 3, rounds: 30 };
    const version = await interleave(node(caisson, '--version'), node('-e', '0'), rounds);
    yield* figuresOf('--version', version, { unit: 'ms', target: { of: 'ratio', is: '<=', value: 1.3 } });
    const help = await interleave(node(caisson, '--help'), node('-e', '0'), rounds);
    yield* figuresOf('--help', help, { unit: 'ms', target: null });
  },
};

function node(...args: readonly string[]): Sample {
  return () => timed(() => execute(process.execPath, args));
}
