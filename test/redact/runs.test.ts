import { expect, it } from 'vitest';
import { byteClass } from '../../src/redact/bytes.ts';
import { boundedRun } from '../../src/redact/rules/rule.ts';

const text = (buffer: Buffer) => ({ buffer, floor: 0, final: true, strict: false });

it('values that begin within each other are read once, and end where each of them ends alone', () => {
  let looks = 0;
  const letters = byteClass('key=');
  const counted = new Proxy(letters, {
    get: (table, at) => {
      looks += 1;
      return table[Number(at)];
    },
  });
  const buffer = Buffer.concat([Buffer.alloc(4000, 'key='), Buffer.from('; '), Buffer.alloc(400, 'key=')]);
  const starts = Array.from({ length: Math.floor(buffer.length / 4) }, (_, n) => 4 * n);
  const alone = starts.map((from) => boundedRun(text(Buffer.from(buffer)), from, letters).end);
  expect(starts.map((from) => boundedRun(text(buffer), from, counted).end)).toEqual(alone);
  expect(looks).toBeLessThan(2 * buffer.length);
});

it('what another buffer or another class has said does not count', () => {
  const buffer = Buffer.from('aaaa bbbb');
  expect(boundedRun(text(buffer), 0, byteClass('a')).end).toBe(4);
  expect(boundedRun(text(buffer), 2, byteClass('a ')).end).toBe(5);
  expect(boundedRun(text(Buffer.from('aab')), 1, byteClass('a')).end).toBe(2);
});
