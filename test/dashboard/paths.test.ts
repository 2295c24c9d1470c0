import fc from 'fast-check';
import { expect, it } from 'vitest';
import { diffOf, joined, parentOf, previewOf } from '../../dashboard/src/pages/sandbox/files/paths.ts';

it('the directory above the root is the root', () => {
  expect(['/', '/a', '/a/b', '/a/b/'].map(parentOf)).toEqual(['/', '/', '/a', '/a']);
  expect([joined('/', 'a'), joined('/a', 'b')]).toEqual(['/a', '/a/b']);
});

it('what is not text has no preview, and a part that ends within a character has one', () => {
  const bytes = new TextEncoder().encode('aä€😀');
  for (let length = 1; length <= bytes.length; length++) {
    const text = previewOf(bytes.subarray(0, length), false);
    expect('aä€😀'.startsWith(text ?? 'nothing')).toBe(true);
  }
  expect(previewOf(bytes, true)).toBe('aä€😀');
  expect(previewOf(Uint8Array.of(0xff, 0xfe), true)).toBeNull();
  expect(previewOf(Uint8Array.of(65, 0, 66), true)).toBeNull();
});

it('a diff has both texts in it: what stays and goes is the old one, what stays and comes the new one', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffOf(before, after) ?? expect.unreachable();
      const without = (mark: string): string =>
        lines
          .filter(([each]) => each !== mark)
          .map(([, line]) => line)
          .join('\n');
      expect([without('+'), without('-')]).toEqual([before, after]);
    }),
  );
});

it('a diff of equal texts changes nothing, and texts that are too long are not compared', () => {
  expect(diffOf('a\nb', 'a\nb')?.every(([mark]) => mark === ' ')).toBe(true);
  const long = (letter: string): string => Array.from({ length: 3000 }, (_, at) => `${letter}${at}`).join('\n');
  expect(diffOf(long('a'), long('b'))).toBeNull();
});
