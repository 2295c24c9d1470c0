import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOfInput, exitCodeOf, frame, resizeFrame } from '../../../backends/kubernetes/channels.ts';
import { EndMark } from '../../../backends/kubernetes/end-mark.ts';
import { framed, head, longestFrame, pieces } from '../../../backends/kubernetes/framing.ts';

const status = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const failure = (message: string): Buffer =>
  status({ status: 'Failure', reason: 'NonZeroExitCode', details: { causes: [{ reason: 'ExitCode', message }] } });

describe('frames of exec', () => {
  it('carry the number of the channel in front', () => {
    expect(frame(0, Buffer.from('ab'))).toEqual(Buffer.from([0, 97, 98]));
    expect(resizeFrame(80, 24).toString()).toBe('\u0004{"Width":80,"Height":24}');
  });

  it('end the input in the newer protocol alone', () => {
    expect(endOfInput('v5.channel.k8s.io')).toEqual(Buffer.from([255, 0]));
    expect(endOfInput('v4.channel.k8s.io')).toBeNull();
  });

  it('say the exit code, and nothing for an end without one', () => {
    expect(exitCodeOf(status({ status: 'Success' }))).toBe(0);
    expect(exitCodeOf(failure('137'))).toBe(137);
    for (const odd of [
      failure('256'),
      failure('-1'),
      failure(''),
      status({ status: 'Failure', reason: 'InternalError' }),
      Buffer.from('{'),
      status([]),
    ])
      expect(() => exitCodeOf(odd)).toThrow(expect.objectContaining({ code: 'unavailable' }));
  });
});

describe('input', () => {
  it('is cut into frames that dd takes at once, and comes out whole', () => {
    const bytes = Buffer.alloc(longestFrame * 2 + 5, 'x');
    expect(pieces(bytes).map(({ length }) => length)).toEqual([longestFrame, longestFrame, 5]);
    expect(Buffer.concat([...pieces(bytes)])).toEqual(bytes);
    expect(framed(Buffer.from('abc')).toString()).toBe('3\nabc');
  });

  it('begins with how the text comes', () => {
    const line = Buffer.from('{ true; }\n');
    expect(head({ text: line, mark: 'M', stdin: 'none', uid: null }).toString()).toBe('r 0 M\n{ true; }\n');
    expect(head({ text: line, mark: 'M', stdin: 'plain', uid: 'u-1' }).toString()).toBe('s 0 M u-1\n{ true; }\n');
    expect(head({ text: line, mark: 'M', stdin: 'framed', uid: 'u-1' }).toString()).toBe('f 10 M u-1\n10\n{ true; }\n');
    expect(head({ text: Buffer.from('a\nb\n'), mark: 'M', stdin: 'none', uid: null }).toString()).toBe('r 4 M\na\nb\n');
  });
});

describe('the mark at the end of a command', () => {
  it('is found wherever chunks are cut, and every other byte passes', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'M', 'A', 'R', ';', '1') });
    fc.assert(
      fc.property(
        text,
        text,
        fc.integer({ min: 0, max: 255 }),
        fc.array(fc.integer({ min: 1, max: 5 })),
        (before, behind, code, cuts) => {
          fc.pre(!before.includes('MARK'));
          const codes: number[] = [];
          const mark = new EndMark('MARK!', (each) => codes.push(each));
          const all = Buffer.from(`${before}MARK!${code};${behind}`);
          expect(Buffer.concat([...cut(all, cuts).map((each) => mark.feed(each)), mark.rest()]).toString()).toBe(
            before + behind,
          );
          expect(codes).toEqual([code]);
        },
      ),
    );
  });

  it('keeps nothing back of a stream that ends without one', () => {
    const mark = new EndMark('MARK!', () => expect.fail('no mark was there'));
    const seen = [mark.feed(Buffer.from('x MAR')), mark.rest()];
    expect(seen.map(String)).toEqual(['x ', 'MAR']);
  });

  it('takes only a status behind it', () => {
    const mark = new EndMark('MARK!', () => expect.fail('this is no status'));
    expect(String(mark.feed(Buffer.from('MARK!x; MARK!12345;')))).toBe('MARK!x; MARK!12345;');
  });
});

function cut(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const made: Buffer[] = [];
  let at = 0;
  for (const each of cuts) {
    made.push(bytes.subarray(at, at + each));
    at += each;
  }
  return [...made, bytes.subarray(at)];
}
