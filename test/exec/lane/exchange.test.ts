import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Exchange, type Question, type StreamName } from '../../../src/exec/lane/exchange.ts';
import { openingForm, statusForm } from '../../../src/exec/lane/protocol.ts';

const nonce = 'NONCEaaaaaaaaaaaaaaaaaaa';
const notice = 'HELLObbbbbbbbb';

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
    { nonce, notice, form: statusForm, opening: openingForm },
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

it('delivers what the command wrote and nothing of the lane, in any cut and order, also when the lane dies then', () => {
  fc.assert(
    fc.property(body, body, cuts, turns, (out, err, at, order) => {
      const streams = {
        stdout: Buffer.from(`stray${nonce}+;${out}${nonce}:143:;`),
        stderr: Buffer.from(`${err}${nonce};`),
      };
      const { delivered, ended, lost } = run(streams, at, order);
      expect([delivered, ended, lost]).toEqual([{ stdout: out, stderr: err }, ':143:', null]);
    }),
    { numRuns: 3_000 },
  );
});

it('is lost where the lane dies before the end, and delivers nothing of the notice', () => {
  fc.assert(
    fc.property(body, cuts, turns, (out, at, order) => {
      const streams = { stdout: Buffer.from(`${nonce}+;${out}${notice}`), stderr: Buffer.from('') };
      const { delivered, ended, lost } = run(streams, at, order);
      expect([ended, typeof lost]).toEqual([null, 'string']);
      expect(out.startsWith(delivered.stdout)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

it('is lost where the end comes and no opening mark did', () => {
  const { lost, delivered } = run({ stdout: Buffer.from(`${nonce}:0:;`), stderr: Buffer.from(`${nonce};`) }, [], []);
  expect([typeof lost, delivered]).toEqual(['string', { stdout: '', stderr: '' }]);
});

const kilobytes = 'x'.repeat(100_000);
const printed = [
  `${nonce}:0:;`,
  `${nonce}:0: 77;`,
  `${nonce};`,
  `${nonce}+;`,
  `${nonce.slice(12)}.${nonce.slice(0, 12)}`,
];

describe('a command that prints marks', () => {
  it.each(printed.flatMap((mark) => ['', ' ', 'more\n', kilobytes].map((behind) => [mark, behind] as const)))(
    'on stdout, %s, then %.10s, ends by the true one, and all that it wrote is delivered',
    async (mark, behind) => {
      const { delivered, end, feed } = listening();
      const out = `before ${mark}${behind}`;
      feed('stdout', `${nonce}+;${out}`);
      feed('stdout', `${nonce}:7:;`);
      feed('stderr', `${nonce};`);
      expect(await end).toEqual({ trailer: ':7:', late: '' });
      expect(delivered).toEqual({ stdout: out, stderr: '' });
    },
  );

  it.each([' ', kilobytes])('on stderr, then %.10s, is not ended by it', async (behind) => {
    const { delivered, end, feed } = listening();
    feed('stdout', `${nonce}+;`);
    feed('stderr', `${nonce};${behind}`);
    feed('stdout', `out${nonce}:7:;`);
    feed('stderr', `${nonce};`);
    expect(await end).toEqual({ trailer: ':7:', late: '' });
    expect(delivered).toEqual({ stdout: 'out', stderr: `${nonce};${behind}` });
  });

  it('on both streams, and goes on, ends by the true ones', async () => {
    const { delivered, end, feed } = listening();
    feed('stdout', `${nonce}+;${nonce}:0:;x`);
    feed('stderr', `${nonce};y`);
    feed('stdout', `z${nonce}:7:;`);
    feed('stderr', `${nonce};`);
    expect(await end).toEqual({ trailer: ':7:', late: '' });
    expect(delivered).toEqual({ stdout: `${nonce}:0:;xz`, stderr: `${nonce};y` });
  });

  it('and leaves a process that holds the streams ends by the true one, and what that process writes is late', async () => {
    const { delivered, end, feed } = listening();
    feed('stdout', `${nonce}+;${nonce}:0:;a${nonce}:7: 31;${kilobytes}`);
    feed('stderr', `${nonce};b`);
    expect(await end).toEqual({ trailer: ':7: 31', late: `${kilobytes}b` });
    expect(delivered).toEqual({ stdout: `${nonce}:0:;a`, stderr: '' });
  });
});

it('ends when the streams go quiet, where something follows marks that name no holder', async () => {
  const { end, feed } = listening();
  feed('stdout', `${nonce}+;${nonce}:7:;late`);
  feed('stderr', `${nonce};`);
  expect(await end).toEqual({ trailer: ':7:', late: 'late' });
});

it('where the end of the process decides, waits for that, and takes the last marks then', async () => {
  const { delivered, end, feed, exchange } = listening({ waitsForEnd: true });
  feed('stdout', `${nonce}+;${nonce}:0:;`);
  feed('stderr', `${nonce};`);
  feed('stdout', `hidden${nonce}:7:;`);
  expect(exchange.conclude()).toBe(true);
  expect(await end).toEqual({ trailer: ':7:', late: '' });
  expect(delivered.stdout).toBe(`${nonce}:0:;hidden`);
});

it('where the end of the process decides, is not ended by it before the marks are there', () => {
  const { feed, exchange } = listening({ waitsForEnd: true });
  feed('stdout', `${nonce}+;${nonce}:0:;`);
  expect(exchange.conclude()).toBe(false);
});

/** An exchange that is fed by the test. */
function listening(more: Partial<Question> = {}) {
  const delivered = { stdout: '', stderr: '' };
  const { promise, resolve, reject } = Promise.withResolvers<{ readonly trailer: string; readonly late: string }>();
  const exchange = new Exchange(
    { nonce, form: statusForm, opening: openingForm, ...more },
    {
      deliver: (name, bytes) => (delivered[name] += bytes.toString('latin1')),
      ended: (trailer, { stdout, stderr }) => resolve({ trailer, late: `${stdout.toString()}${stderr.toString()}` }),
      lost: (why) => reject(new Error(why)),
    },
  );
  const feed = (name: StreamName, text: string): void => exchange.feed(name, Buffer.from(text));
  return { delivered, end: promise, feed, exchange };
}
