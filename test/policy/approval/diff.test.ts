/** What a write would change, as people see it. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { type Side, shownDiff } from '../../../src/policy/approval/diff.ts';

const side = (text: string | Buffer): Side => {
  const bytes = Buffer.from(text);
  return { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), bytes };
};
const plain = (text: string): string => text;
const diff = (before: string | null, after: string, redact = plain): string =>
  shownDiff(before === null ? null : side(before), side(after), redact);
const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `line ${at + 1}`);

it('a change is shown with three lines around it, and changes that are far apart in hunks of their own', () => {
  const lines = numbered(40);
  const changed = lines.with(9, 'ten').with(29, 'thirty').toSpliced(30, 0, 'more');
  expect(diff(lines.join('\n'), changed.join('\n'))).toBe(
    [
      '@@ -7,7 +7,7 @@',
      ...[' line 7', ' line 8', ' line 9', '-line 10', '+ten', ' line 11', ' line 12', ' line 13'],
      '@@ -27,7 +27,8 @@',
      ...[' line 27', ' line 28', ' line 29', '-line 30', '+thirty', '+more', ' line 31', ' line 32', ' line 33'],
    ].join('\n'),
  );
});

it('a new file is called one, and a newline at the end that comes or goes is seen', () => {
  expect(diff(null, 'a\nb\n')).toBe('a new file\n@@ -0,0 +1,2 @@\n+a\n+b');
  expect(diff('a\n', 'a')).toBe('@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file');
  expect(diff(null, '')).toBe('an empty file is made');
  expect(diff('', 'a\n')).toBe('@@ -0,0 +1,1 @@\n+a');
  expect(diff('same\n', 'same\n')).toBe('nothing changes');
});

it('what would move the cursor, hide or reorder text is spelled out, and a carriage return is seen', () => {
  const shown = diff('a\nb\n', '\u001b[2J\u001b]0;x\u0007\u202eb\u200b\ta\r\nb\n');
  expect(shown).toBe(
    String.raw`@@ -1,2 +1,2 @@` + `\n-a\n+${String.raw`\x1b[2J\x1b]0;x\x07\u{202e}b\u{200b}`}\ta\\r\n b`,
  );
});

it('secrets are taken out, and that a secret changes is seen all the same', () => {
  const redact = (text: string): string => text.replace(/key=\w+/g, 'key=[REDACTED]');
  const shown = diff('a\nkey=hunter2\n', 'a\nkey=attacker\n', redact);
  expect(shown).toBe('@@ -1,2 +1,2 @@\n a\n-key=[REDACTED]\n+key=[REDACTED]');
  const several = (text: string): string => text.replace(/BEGIN[^]*END/, '[REDACTED]');
  const whole = diff('x\n', 'BEGIN\nsecret\nEND\n', several);
  expect(whole).toMatch(/^a secret of several lines is in it: 2 bytes before, 17 bytes after; sha256 [0-9a-f]{64}$/);
});

it('content that is no text is named with its sizes', () => {
  const shown = shownDiff(side('text'), side(Buffer.from([0, 255, 1])), plain);
  expect(shown).toMatch(/^binary: 4 bytes before, 3 bytes after; sha256 [0-9a-f]{64}$/);
  expect(shownDiff(null, side(Buffer.from([0])), plain)).toMatch(/^binary: no file before, 1 bytes after/);
  expect(shownDiff({ ...side('a'), bytes: null }, side('b'), plain)).toMatch(
    /^too large to be compared: 1 bytes before/,
  );
});

it('a long diff and a long line show both ends and how much is left out', () => {
  const shown = diff('', `${numbered(5000).join('\n')}\n`);
  const lines = shown.split('\n');
  expect(lines.length).toBeLessThanOrEqual(241);
  expect([lines[0], lines[1], lines.at(-1)]).toEqual(['@@ -0,0 +1,5000 @@', '+line 1', '+line 5000']);
  expect(shown).toMatch(/\[\.\.\. 4761 of 5001 lines are not shown; sha256 after it [0-9a-f]{64} \.\.\.\]/);
  const wide = diff('', `${'\u202e'.repeat(10_000)}\n`.repeat(100));
  expect(Buffer.byteLength(wide)).toBeLessThan(17_000);
  const foreign = diff('', `${'\u754c'.repeat(300)}\n`.repeat(100));
  expect(Buffer.byteLength(foreign)).toBeLessThan(17_000);
  expect(diff('', `${'a'.repeat(1000)}end\n`)).toMatch(/^@@.*\n\+a{199}\[\.\.\. 604 characters \.\.\.\]a{197}end$/);
});
