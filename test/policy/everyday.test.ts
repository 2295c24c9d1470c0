/** What developers, operators and agents type all day on a host: nothing of it is asked about. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { decide } from './opened.ts';

const lines = readFileSync(new URL('everyday.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');
const commands = lines.filter((line) => !line.startsWith('# '));

it('everyday commands run on a host without a question', () => {
  const asked = commands.flatMap((command) => {
    const { verdict, findings } = decide(command);
    return verdict === 'allow' ? [] : [`${verdict} ${findings.map(({ rule }) => rule).join(' ')}: ${command}`];
  });
  expect(asked).toEqual([]);
});

it('no everyday command is listed twice', () => {
  expect(commands.filter((command, at) => commands.indexOf(command) !== at)).toEqual([]);
  expect(commands.length).toBeGreaterThan(700);
});
