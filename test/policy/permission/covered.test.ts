/** What rules for whole programs cover: everyday forms, and none that run a program or write elsewhere. */
import { describe, expect, it } from 'vitest';
import { decide, policyWith } from '../opened.ts';
import { forms, placed } from './forms/forms.ts';

const modelled = [...forms.keys()].filter((name) => name !== 'others');
const named = [
  ...modelled,
  ...'pip3 python3 node go cargo pytest tsc yarn pnpm kubectl gh mvn terraform ruff sleep mkdir touch cp mv date jq ln vim gcc java true'.split(
    ' ',
  ),
];
const policy = policyWith({ mode: 'supervised', rules: { allow: named.map((name) => `terminal(${name}:*)`) } });
const verdict = (form: string): string =>
  decide(placed(form, { root: '/srv/forms', host: '127.0.0.1:9' }), { policy, reach: 'container' }).verdict;

describe.each([...forms])('rules for %s', (_, { covered, beyond, documented }) => {
  it('cover everyday forms', () => expect(covered.filter((form) => verdict(form) !== 'allow')).toEqual([]));

  it('cover no form that runs a program or writes elsewhere', () =>
    expect([...beyond, ...documented].filter((form) => verdict(form) === 'allow')).toEqual([]));
});

it('there are 60 forms that a rule does not cover for each program with a model, and 200 that it covers', () => {
  const counts = modelled.map(
    (name) => (forms.get(name)?.beyond.length ?? 0) + (forms.get(name)?.documented.length ?? 0),
  );
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(60);
  expect(modelled.flatMap((name) => forms.get(name)?.covered ?? []).length).toBeGreaterThanOrEqual(200);
});

describe('policy check', () => {
  it.each([
    ['git grep -nOless x', 'the option -O is not covered by the rule terminal(git:*)'],
    ['git ls-remote --exe=x .', 'the option --exe is not covered by the rule terminal(git:*)'],
    ['git config a.b c', 'the subcommand config is not covered by the rule terminal(git:*)'],
    ['git clone u ../x', 'one of its operands is not covered by the rule terminal(git:*)'],
    ['curl -d @f h', 'the value of the option -d is not covered by the rule terminal(curl:*)'],
    ['go test -exec x', 'the option -exec is not covered by the rule terminal(go:*)'],
  ])('says of %s that %s', (command, why) => {
    expect(decide(command, { policy }).findings).toMatchObject([
      { rule: 'supervised', description: `mode supervised; ${why}` },
    ]);
  });

  it('names nothing where no rule has the first words, or one covers it', () => {
    expect(decide('id', { policy }).findings).toMatchObject([{ description: 'mode supervised' }]);
    expect(decide('git status', { policy }).findings).toEqual([]);
  });
});

describe('other rules', () => {
  it('hold for the whole text of a command with any option', () => {
    const exact = policyWith({
      mode: 'supervised',
      rules: { allow: ['terminal(go test -exec x)', 'terminal(git -C a status)'] },
    });
    expect(decide('go test -exec x', { policy: exact }).verdict).toBe('allow');
    expect(decide('git -C a status', { policy: exact }).verdict).toBe('allow');
    expect(decide('go test -exec y', { policy: exact }).verdict).toBe('ask');
  });

  it('cover operands behind options that they spell out', () => {
    const spelled = policyWith({ mode: 'supervised', rules: { allow: ['terminal(python3 -m pytest:*)'] } });
    expect(decide('python3 -m pytest tests/a', { policy: spelled }).verdict).toBe('allow');
    expect(decide('python3 -m pytest -p x', { policy: spelled }).verdict).toBe('ask');
  });

  it('judge a wrapper by its own words, and what it runs by its', () => {
    const both = policyWith({ mode: 'supervised', rules: { allow: ['terminal(timeout:*)', 'terminal(git:*)'] } });
    expect(decide('timeout 5 git log --oneline', { policy: both }).verdict).toBe('allow');
    expect(decide('timeout -s KILL 5 git log', { policy: both }).verdict).toBe('ask');
    expect(decide('timeout 5 git log --output=x', { policy: both }).verdict).toBe('ask');
  });
});
