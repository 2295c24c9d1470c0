/** Globs and windows of lines, as the tools of deepagents want them. */
import { describe, expect, it } from 'vitest';
import { expressionOf, glob } from '../../src/adapters/deepagents/glob.ts';
import { linesOf, mimeOf } from '../../src/adapters/deepagents/text.ts';
import { Place } from '../../src/adapters/place.ts';
import { caissonOf } from './fake-caisson.ts';

describe('a glob', () => {
  it.each([
    ['*.ts', ['a.ts', 'é.ts'], ['a.tsx', 'sub/a.ts', 'ats']],
    ['**/*.ts', ['a.ts', 'sub/a.ts', 'a/b/c.ts'], ['a.js']],
    ['src/**', ['src/a', 'src/a/b'], ['src', 'lib/src/a']],
    ['a?c', ['abc'], ['ac', 'a/c']],
    ['[ab].txt', ['a.txt', 'b.txt'], ['c.txt', 'ab.txt']],
    ['[!ab].txt', ['c.txt'], ['a.txt']],
    ['a+(b).{c}', ['a+(b).{c}'], ['aab.c']],
    ['line*', ['line\nbreak'], ['no']],
  ])('%s', (pattern, fits, others) => {
    const expression = expressionOf(pattern);
    expect(fits.filter((path) => !expression.test(path))).toEqual([]);
    expect(others.filter((path) => expression.test(path))).toEqual([]);
  });

  it('looks no deeper than its pattern, and follows no link', async () => {
    const caisson = caissonOf({ '/w': ['a/', 'l@', 'b.ts'], '/w/a': ['c.ts', 'd/'], '/w/a/d': ['e.ts'] });
    const place = await Place.open(caisson, { taskId: 't' });
    expect(await glob(place, 'a/*', '/w')).toMatchObject({
      files: [{ path: 'a/c.ts' }, { path: 'a/d' }],
      truncated: false,
    });
    expect(caisson.listed).toEqual(['/w/', '/w/a']);
    expect((await glob(place, '**/*.ts', '/w')).files?.map(({ path }) => path)).toEqual(['b.ts', 'a/c.ts', 'a/d/e.ts']);
  });

  it('says that it is not all where there are too many directories', async () => {
    const many = Array.from({ length: 2001 }, (_, at) => `d${at}/`);
    const caisson = caissonOf({ '/w': many });
    const found = await glob(await Place.open(caisson, { taskId: 't' }), '**/f', '/w');
    expect([found, caisson.listed.length]).toEqual([{ files: [], truncated: true }, 2000]);
  });
});

describe('a window of lines', () => {
  it.each([
    ['a\nb\nc\n', 0, 500, { content: 'a\nb\nc', totalLines: 3, startLine: 1, endLine: 3 }],
    ['a\nb\nc', 1, 1, { content: 'b', totalLines: 3, startLine: 2, endLine: 2, nextOffset: 2 }],
    ['a\n', 5, 10, { content: '' }],
    ['a', 0, 0, { content: '' }],
    ['', 0, 10, { content: '' }],
    ['a\nb', -3, 1.9, { content: 'a', totalLines: 2, startLine: 1, endLine: 1, nextOffset: 1 }],
  ])('%j from %d, %d of them', (text, offset, limit, window) => {
    expect(linesOf(text, { offset, limit })).toEqual(window);
  });

  it('is of text, which the name or the content tells', () => {
    const bytes = new Uint8Array([0, 255]);
    expect([mimeOf('/a/B.PNG', bytes), mimeOf('/a/b', bytes), mimeOf('/a.d/b', new TextEncoder().encode('é'))]).toEqual(
      [...['image/png', 'application/octet-stream', 'text/plain']],
    );
  });
});
