/** What an allow rule for a program covers, and what of the program it does not. */
import { expect, it } from 'vitest';
import { decide, policyWith } from '../opened.ts';

const rules = { allow: ['awk', 'sed', 'curl', 'find', 'sort'].map((name) => `terminal(${name}:*)`) };
const policy = policyWith({ mode: 'supervised', rules });

it.each([
  "awk '{print $1}' f",
  "awk -F: '$1==2 {n++} END {print n}' f",
  "sed -n '1,5p' f",
  'sed -i s/a/b/ f',
  "sed -e 's/x/y/' -e 's/a b/c/' f",
  "sed '/re/d' src/we/x.ts",
  'curl -s https://h/x',
  "curl -X POST -H 'a: b' -d 'x' https://h/a/b",
  'find . -name x -type f',
])('is covered: %s', (command) => {
  expect(decide(command, { policy }).verdict).toBe('allow');
});

it.each([
  'awk -l x 1',
  'awk \'@load "x"\' f',
  'awk -f x f',
  'awk \'{print > "f"}\' a',
  'sed -f x f',
  "sed 's/a/b/w /srv/x' f",
  'sed --file=x f',
  'curl -o f h',
  'curl -K f h',
  'curl -T f h',
  'curl -d @f h',
  'curl file:///srv/x',
  'find . -fprint x',
  'sort -o f g',
])('is asked about: %s', (command) => {
  expect(decide(command, { policy }).verdict).toBe('ask');
});
