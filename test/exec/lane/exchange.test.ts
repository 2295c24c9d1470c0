import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Exchange, type StreamName } from '../../../src/exec/lane/exchange.ts';
import { openingForm, statusForm } from '../../../src/exec/lane/protocol.ts';

const nonce = 'NONCEaaaaaaaaaaaaaaaaaaa';
const greeting = 'HELLObbbbbbbbbbbbbbbbbbb';

interface Run {
  readonly delivered: Record<StreamName, string>;
  readonly late: string;
  readonly ended: string | null;
  readonly lost: string | null;
}

/** Feeds both streams in the order of `turns`, each cut where `cuts` says. */
function run(streams: Readonly<Record<StreamName, Buffer>>, cuts: readonly number[], turns: readonly boolean[]): Run {
  const result = {
    delivered: { stdout: '', stderr: '' },
    late: '',
    ended: null as string | null,
    lost: null as string | null,
  };
  const exchange = new Exchange(
    { nonce, greeting, form: statusForm, opening: openingForm },
    {
      deliver: (name, bytes) => (result.delivered[name] += bytes.toString('latin1')),
      ended: (trailer, late) => {
        result.ended = trailer;
        result.late = late.stdout.toString('latin1') + late.stderr.toString('latin1');
      },
      lost: (why) => (result.lost = why),
    },
  );
  const parts = {
    stdout: split(streams.stdout, cuts),
    stderr: split(streams.stderr, cuts),
  };
  for (const first of [
    ...turns,
    ...Array.from({ length: 99 }, () => true),
    ...Array.from({ length: 99 }, () => false),
  ]) {
    const name = first ? 'stdout' : 'stderr';
    const chunk = parts[name].shift();
    if (chunk !== undefined) exchange.feed(name, chunk);
  }
  return result;
}

function split(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const points = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].toSorted(
    (a, b) => a - b,
  );
  return points.slice(1).map((end, index) => bytes.subarray(points[index], end));
}

const body = fc.string({ unit: fc.constantFrom('a', 'N', 'H', 'NO', 'HELL', '\n', ';', ':'), maxLength: 12 });
const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 12 });
const turns = fc.array(fc.boolean(), { maxLength: 40 });

it('delivers what the command wrote and nothing of the lane, in any cut and order, also when another lane follows', () => {
  fc.assert(
    fc.property(body, body, cuts, turns, (out, err, at, order) => {
      const streams = {
        stdout: Buffer.from(
          `${greeting}:7+;stray${nonce}+;${out}${nonce}:143:;${greeting}:9+;`.slice(greeting.length + 5),
        ),
        stderr: Buffer.from(`${err}${nonce};${greeting};`),
      };
      const { delivered, ended, lost } = run(streams, at, order);
      expect(delivered).toEqual({ stdout: out, stderr: err });
      expect(lost === null ? ended : ':143:').toBe(':143:');
      expect(lost).toBeNull();
    }),
    { numRuns: 3_000 },
  );
});

it('is lost where another lane greets before the end, and delivers nothing of the greeting', () => {
  fc.assert(
    fc.property(body, cuts, turns, (out, at, order) => {
      const streams = {
        stdout: Buffer.from(`${nonce}+;${out}${greeting}:9+;`),
        stderr: Buffer.from(`${greeting};`),
      };
      const { delivered, ended, lost } = run(streams, at, order);
      expect([ended, typeof lost]).toEqual([null, 'string']);
      expect(out.startsWith(delivered.stdout) || delivered.stdout === out).toBe(true);
      expect(delivered.stderr).toBe('');
    }),
    { numRuns: 2_000 },
  );
});

it('takes anything but an opening mark before the command for a forgery', () => {
  const { lost, delivered } = run({ stdout: Buffer.from(`${nonce}:0:;`), stderr: Buffer.from(`${nonce};`) }, [], []);
  expect([lost, delivered]).toEqual(['a command forged its mark', { stdout: '', stderr: '' }]);
});
