/** Help on narrow terminals. */
import { expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { helpOf, wrapped } from '../../src/cli/help.ts';

const typed = (line: string): boolean => line.startsWith('  caisson ');

it.each([40, 60, 80])('help fits %i columns, with every word whole and in its place', async (width) => {
  for (const load of Object.values(commands)) {
    const text = helpOf(await load());
    const shown = wrapped(text, width);
    const tooWide = shown
      .split('\n')
      .filter((line) => line.length > width && line.trim().includes(' ') && !typed(line));
    expect(tooWide).toEqual([]);
    expect(shown.split(/\s+/)).toEqual(text.split(/\s+/));
  }
});

it('what stands in a column goes on below it', () => {
  const line = '  -o, --output FORMAT      table, or json for a program that reads it';
  expect(wrapped(line, 48)).toBe(
    ['  -o, --output FORMAT      table, or json for a', '                           program that reads it'].join('\n'),
  );
  expect(wrapped(line, null)).toBe(line);
});
