/** What the files of commands hold. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { accepted } from './accepted.ts';
import { casesIn, commandOf, readCases } from './case.ts';
import { formOf, repeated } from './distinct.ts';
import { stdinOf } from './stdin.ts';

const cases = readCases();
const groups = Map.groupBy(cases, ({ group }) => group);
const page = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

describe('the commands', () => {
  it('are a thousand and more, at least thirty in each group', () => {
    expect(cases.length).toBeGreaterThanOrEqual(1000);
    for (const [group, each] of groups) expect([group, each.length >= 30]).toEqual([group, true]);
  });

  it('show something else each: no two differ in their data only', () => {
    expect(repeated(cases.map((each) => `${commandOf(each.line)} @${each.stdin}`))).toEqual([]);
  });

  it('give stdin that can be made', () => {
    for (const { stdin } of cases) if (stdin !== null) expect(stdinOf(stdin)).toBeInstanceOf(Buffer);
    expect(() => stdinOf('nonsense')).toThrow('is not known');
  });

  it('have counts in README.md', () => {
    const text = `${cases.length.toLocaleString('en')} everyday commands in ${groups.size} groups`;
    expect(page('README.md')).toContain(text);
  });
});

describe('accepted differences', () => {
  const named = cases.filter((each) => each.accepted !== null);

  it('are at most two of a hundred', () => {
    expect(named.length / cases.length).toBeLessThanOrEqual(0.02);
  });

  it('stand for a sentence of the documents, and for commands', () => {
    const names = new Set(named.map((each) => each.accepted));
    expect(names).toEqual(new Set(Object.keys(accepted)));
    for (const { page: path, sentence } of Object.values(accepted))
      expect(oneLine(page(path))).toContain(oneLine(sentence));
  });
});

describe('a line', () => {
  it('is a command with marks at its end', () => {
    const [each] = casesIn('x', '# about\ncat <<A⏎b⏎A⏭wc -l @stdin=lines:3 @time @accept=flags @reads');
    expect(each).toMatchObject({
      id: 'x/1',
      steps: ['cat <<A\nb\nA', 'wc -l'],
      stdin: 'lines:3',
      fields: ['time'],
      accepted: 'flags',
      reads: true,
    });
  });

  it('with a mark that is not known is an error', () => {
    expect(() => casesIn('x', 'true @nonsense')).toThrow('x/1: @nonsense is not known');
  });
});

it.each([
  ['head -n 3 words', 'head -n 5 numbers', true],
  ["echo 'a b'", 'echo "c"', true],
  ['sort words', 'sort -u words', false],
  ["awk '{print $1}' log", "awk '{print $1, $2}' log", false],
])('%s and %s have one form: %s', (one, other, is) => {
  expect(formOf(one) === formOf(other)).toBe(is);
});
