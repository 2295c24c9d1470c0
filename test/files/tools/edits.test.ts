import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyChange } from '../../../src/files/tools/patch.ts';

const mebibyte = 1024 * 1024;

describe('a patch grows a text', () => {
  it('by 8 MiB, and no byte more', async () => {
    const max = 8 * mebibyte;
    const grown = (bytes: number): Promise<string> =>
      applyChange('abc', { edits: [{ find: 'b', replace: 'x'.repeat(bytes + 1) }] });
    expect((await grown(max)).length).toBe(3 + max);
    await expect(grown(max + 1)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('to four times its size, counted in bytes', async () => {
    const text = 'a'.repeat(4 * mebibyte) + 'b'.repeat(16);
    const edits = (replace: string) => ({ edits: [{ find: 'b'.repeat(16), replace, all: true }] });
    const room = 12 * mebibyte + 3 * 16 + 16;
    expect((await applyChange(text, edits('x'.repeat(room)))).length).toBe(4 * (4 * mebibyte + 16));
    await expect(applyChange(text, edits('€'.repeat(room / 2)))).rejects.toThrow(/makes more than/);
  });

  it('no further by many edits than by one', async () => {
    const edits = Array.from({ length: 9 }, () => ({ find: 'a', replace: `a${'x'.repeat(1000)}`, all: true }));
    const text = 'a'.repeat(1000);
    expect((await applyChange(text, { edits: edits.slice(1) })).length).toBe(8_001_000);
    await expect(applyChange(text, { edits })).rejects.toThrow(/makes more than/);
  });

  it('no further by an edit that a later one takes back', async () => {
    const edits = [
      { find: 'a', replace: 'b'.repeat(67_000), all: true },
      { find: 'b'.repeat(67_000), replace: 'a', all: true },
    ];
    await expect(applyChange('a'.repeat(1000), { edits })).rejects.toThrow(/makes more than/);
  });

  it('no further by a diff', async () => {
    const diff = `@@ -1 +1 @@\n-a\n+${'x'.repeat(9 * mebibyte)}\n`;
    await expect(applyChange('a\n', { diff })).rejects.toThrow(/makes more than/);
  });
});

describe('the work of a patch', () => {
  it('is bounded by the places that are replaced, over all edits', async () => {
    const turns = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ find: 'ab'[at % 2] ?? '', replace: 'ba'[at % 2] ?? '', all: true }));
    const text = 'a'.repeat(mebibyte / 4);
    expect((await applyChange(text, { edits: turns(4) }))[0]).toBe('a');
    await expect(applyChange(text, { edits: turns(5) })).rejects.toThrow(/replace more than 1048576 places/);
  });

  it('is bounded by the characters that are searched, over all edits', async () => {
    const text = `${'-'.repeat(8 * mebibyte - 1)}a`;
    const edits = Array.from({ length: 130 }, (_, at) => ({ find: 'ab'[at % 2] ?? '', replace: 'ba'[at % 2] ?? '' }));
    await expect(applyChange(text, { edits })).rejects.toThrow(/search more than 1073741824 characters/);
  });

  it('lets others run between two edits', async () => {
    let turns = 0;
    const counter = setInterval(() => (turns += 1), 1);
    const text = `${'-'.repeat(8 * mebibyte)}a`;
    const edits = Array.from({ length: 6 }, (_, at) => ({ find: `${'x'.repeat(300)}${at}.`, replace: '' }));
    await applyChange(`${text}${edits.map(({ find }) => find).join('')}`, { edits });
    clearInterval(counter);
    expect(turns).toBeGreaterThan(2);
  });
});

it('a long text is found wherever it stands, as a short one is', async () => {
  const piece = fc.constantFrom('a', 'b', 'ab', 'a'.repeat(130), 'b'.repeat(130));
  const texts = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
  await fc.assert(
    fc.asyncProperty(texts, texts, async (text, find) => {
      fc.pre(find !== '' && text.includes(find));
      expect(await applyChange(text, { edits: [{ find, replace: 'x', all: true }] })).toBe(text.split(find).join('x'));
    }),
    { numRuns: 300 },
  );
});
