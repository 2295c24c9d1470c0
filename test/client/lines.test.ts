import { expect, it } from 'vitest';
import fc from 'fast-check';
import { linesOf, type LineObject } from '../../src/client/wire/lines.ts';

// oxlint-disable-next-line require-await -- chunks as a connection gives them
async function* chunksOf(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Uint8Array, void, void> {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((one, other) => one - other);
  for (let index = 1; index < places.length; index++) yield bytes.subarray(places[index - 1], places[index]);
}

it('events are read whole, wherever their lines and characters are cut', async () => {
  const events = fc.array(fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' })));
  await fc.assert(
    fc.asyncProperty(events, fc.array(fc.nat()), async (sent, cuts) => {
      const bytes = Buffer.from(sent.map((event) => `${JSON.stringify(event)}\n`).join(''));
      const read: LineObject[] = await Array.fromAsync(linesOf(chunksOf(bytes, cuts)));
      expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(JSON.stringify(sent)));
    }),
  );
});

it('a last line without its end was cut, and is no event', async () => {
  expect(await Array.fromAsync(linesOf(chunksOf(Buffer.from('{"a":1}\n{"b":'), [])))).toEqual([{ a: 1 }]);
});

it('a line without an end takes no more memory than it may', async () => {
  let sent = 0;
  const endless = async function* () {
    for (; ; sent += 1000) yield await Promise.resolve(Buffer.alloc(1000, 'x'));
  };
  await expect(Array.fromAsync(linesOf(endless(), 10_000))).rejects.toMatchObject({ code: 'internal' });
  expect(sent).toBeLessThan(20_000);
});

it.each(['[]', '"text"', 'null', '<html>'])('%s is no event', async (line) => {
  await expect(Array.fromAsync(linesOf(chunksOf(Buffer.from(`${line}\n`), [])))).rejects.toMatchObject({
    code: 'internal',
  });
});
