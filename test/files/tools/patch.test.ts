import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyDiff, applyEdits } from '../../../src/files/tools/patch.ts';

describe('exact replacements', () => {
  it('are made in turn, each in the result of the one before', () => {
    expect(
      applyEdits('a b c', [
        { find: 'b', replace: 'x' },
        { find: 'x c', replace: '$& $1' },
      ]),
    ).toBe('a $& $1');
    expect(applyEdits('a a', [{ find: 'a', replace: 'aa', all: true }])).toBe('aa aa');
  });

  it.each([
    ['what is not there', 'b'],
    ['what is there twice', 'a'],
    ['nothing', ''],
  ])('of %s are refused', (_what, find) => {
    expect(() => applyEdits('a-a', [{ find, replace: 'x' }])).toThrow(/does not apply/);
  });
});

/** As `diff -u` has it. */
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
    expect(() => applyDiff('a\na\n', diff)).toThrow(/fits at 2 places/);
  });

  it.each(['', 'no hunk', '@@ -1,2 +1,2 @@\n a\n', '@@ -1,1 +1,1 @@\n-a\n*b\n'])(
    'that is none is refused: %j',
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
