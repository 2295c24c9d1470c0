import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyDiff } from '../../../src/files/tools/diff.ts';
import { applyChange } from '../../../src/files/tools/patch.ts';

describe('a patch', () => {
  it.each([
    {},
    { edits: null },
    { edits: [null] },
    { edits: [{ find: 'a' }] },
    { diff: 3 },
    { edits: [], diff: '@@ -1 +1 @@\n-a\n+b\n' },
  ])('of neither kind, or of both, is refused: %j', async (change) => {
    await expect(applyChange('a\n', JSON.parse(JSON.stringify(change)))).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });
});

describe('exact replacements', () => {
  it('are made in turn, each in the result of the one before', async () => {
    expect(
      await applyChange('a b c', {
        edits: [
          { find: 'b', replace: 'x' },
          { find: 'x c', replace: '$& $1' },
        ],
      }),
    ).toBe('a $& $1');
    expect(await applyChange('a a', { edits: [{ find: 'a', replace: 'aa', all: true }] })).toBe('aa aa');
  });

  it.each([
    ['what is not there', 'b'],
    ['what is there twice', 'a'],
    ['nothing', ''],
  ])('of %s are refused', async (_what, find) => {
    await expect(applyChange('a-a', { edits: [{ find, replace: 'x' }] })).rejects.toThrow(/does not apply/);
  });
});

/** Difference of two texts in the form of `diff -u`. */
function diffOf(before: string, after: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'caisson-diff-'));
  try {
    writeFileSync(join(directory, 'a'), before);
    writeFileSync(join(directory, 'b'), after);
    return execFileSync('sh', ['-c', 'diff -u a b || [ $? -eq 1 ]'], { cwd: directory }).toString();
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe('a unified diff', () => {
  it('goes to its line, or to the only place where its old lines stand', () => {
    const diff = diffOf('1\n2\n3\n4\n5\n6\n7\n8\n9\n', '1\n2\n3\n4\nfive\n6\n7\n8\n9\n');
    expect(applyDiff('1\n2\n3\n4\n5\n6\n7\n8\n9\n', diff)).toBe('1\n2\n3\n4\nfive\n6\n7\n8\n9\n');
    expect(applyDiff('0\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n', diff)).toBe('0\n0\n1\n2\n3\n4\nfive\n6\n7\n8\n9\n');
  });

  it('whose old lines are not there, or at two other places, is refused', () => {
    const diff = '@@ -9,1 +9,1 @@\n-a\n+b\n';
    expect(() => applyDiff('x\n', diff)).toThrow(/fits nowhere/);
    expect(() => applyDiff('a\na\n', diff)).toThrow(/fits at 2 places or more/);
  });

  it.each(['', 'no hunk', '@@ -1,2 +1,2 @@\n a\n', '@@ -1,1 +1,1 @@\n-a\n*b\n'])(
    'that is not one is refused: %j',
    (diff) => {
      expect(() => applyDiff('a\nb\n', diff)).toThrow(/does not apply/);
    },
  );

  it('of any two texts makes the second of the first', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', '', 'c d', '-x', '+y', '@@', '\\ z'), { minLength: 1, maxLength: 30 })
      .map((lines) => `${lines.join('\n')}\n`);
    fc.assert(
      fc.property(text, text, (before, after) => {
        if (before === after) return;
        expect(applyDiff(before, diffOf(before, after))).toBe(after);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the end of a text', () => {
  it.each([
    ['a\nb\n', 'a\nb'],
    ['a\nb', 'a\nb\n'],
    ['a\nb', 'a\nc'],
    ['a\nb\n', 'a\nc'],
    ['', 'a'],
    ['a', ''],
    ['a\r\nb\r\n', 'a\r\nc\r\n'],
    ['a\r\nb', 'a\r\nb\r\n'],
  ])('is as the diff has it: %j to %j', (before, after) => {
    expect(applyDiff(before, diffOf(before, after))).toBe(after);
  });

  it('is where a hunk belongs that says so, and nowhere else', () => {
    const diff = '@@ -2,1 +2,1 @@\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n';
    expect(applyDiff('a\nb', diff)).toBe('a\nc');
    expect(() => applyDiff('a\nb\nmore\n', diff)).toThrow(/fits nowhere/);
  });

  it('is not behind the last line, wherever a hunk without old lines wants to go', () => {
    expect(applyDiff('a\n', '@@ -1,0 +2,1 @@\n+b\n')).toBe('a\nb\n');
    expect(() => applyDiff('a\n', '@@ -100,0 +101,1 @@\n+b\n')).toThrow(/fits nowhere/);
  });
});

describe('a diff that is not what it says', () => {
  it.each([
    ['has more lines than it says', '@@ -1,1 +1,1 @@\n-a\n+x\n b\n-c\n'],
    ['has more lines than it says', '@@ -1,1 +1,1 @@\n-a\n-b\n+x\n'],
    ['is of several files', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+x\n--- a/y\n+++ b/y\n@@ -2 +2 @@\n-b\n+y\n'],
  ])('is refused: it %s', (why, diff) => {
    expect(() => applyDiff('a\nb\nc\n', diff)).toThrow(why);
  });

  it('may have the signature of a mail behind it', () => {
    expect(applyDiff('a\n', '@@ -1 +1 @@\n-a\n+b\n-- \n2.39.2\n')).toBe('b\n');
  });
});

it('is made in a text of very many lines', () => {
  const text = `${'\n'.repeat(300_000)}only\n`;
  expect(applyDiff(text, '@@ -300001 +300001 @@\n-only\n+x\n')).toBe(text.replace('only', 'x'));
});

describe('a patch that is made to be slow or large', () => {
  it('takes no longer for lines that are all alike', () => {
    const text = '\n'.repeat(500_000);
    const diff = `@@ -9,20001 +9,20001 @@\n${' \n'.repeat(20_000)}-x\n+y\n`;
    const started = performance.now();
    expect(() => applyDiff(text, diff)).toThrow(/fits nowhere/);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('is refused', () => {
    const hunks = Array.from({ length: 60 }, (_, at) => `@@ -${at * 2 + 1},1 +${at * 2 + 1},1 @@\n-only\n+x\n`).join(
      '',
    );
    const text = `${'\n'.repeat(1_000_000)}only\n`;
    expect(() => applyDiff(text, hunks)).toThrow(/does not apply/);
  });
});
