/** bash shows what it has read of a function in a form of its own: both texts of the loop must have the same. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { onOneLine } from '../../../src/exec/session/one-line.ts';
import { loopOf, loopOfBash, partsOfBash } from '../../../src/exec/session/script.ts';
import { shells } from '../kill/shells.ts';

function readBy(shell: string, text: string): string {
  const shown = execFileSync(shell, ['-c', `f() {\n${text}\n}\ndeclare -f f`], { encoding: 'utf8' });
  // In `$(...)` it keeps the ends of commands as they were written.
  return shown.replaceAll(/[\s;]+/g, ' ');
}

describe.each(shells.filter((shell) => shell === 'bash'))('the loop of a session of %s', (shell) => {
  it('stands on one line, and means the same', () => {
    expect(loopOfBash()).not.toContain('\n');
    expect(readBy(shell, loopOfBash())).toBe(readBy(shell, loopOf(partsOfBash())));
  });
});

it.each([
  ['if a; then\nb\nfi', 'if a; then b; fi'],
  ['case $x in\n*)\na\n;;\nesac', 'case $x in *) a; ;; esac'],
  ['x=$(\na\n) || {\nb &&\nc\n}', 'x=$( a; ) || { b && c; }'],
])('%j is one line', (text, line) => {
  expect(onOneLine(text)).toBe(line);
});
