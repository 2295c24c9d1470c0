/** Rules for what people answer with yes again and again. */
import { expect, it } from 'vitest';
import { suggestedRules } from '../../src/guard/suggest.ts';
import type { ApprovalRow } from '../../src/store/store.ts';
import { newApproval } from '../store/rows.ts';

const choices = ['once', 'session', 'always', 'deny'];
const asked = (rule: string, patch: Partial<ApprovalRow> = {}, more: object = {}): ApprovalRow =>
  newApproval({
    state: 'used',
    choice: 'once',
    answeredBy: 'carol',
    createdAt: 1_000_000,
    question: { proposal: [rule], choices, tier: 'rule', findings: [{ rule: 'terminal(npm:*)' }], ...more },
    ...patch,
  });
const nothing = (): boolean => false;
const rulesOf = (
  rows: readonly ApprovalRow[],
  known: Parameters<typeof suggestedRules>[1] = nothing,
): readonly string[] => suggestedRules(rows, known).map(({ owner, rule, times }) => `${owner} ${rule} ${times}`);

const thrice = (...args: Parameters<typeof asked>): readonly ApprovalRow[] => [
  asked(...args),
  asked(...args),
  asked(...args),
];

it('what was answered three times is proposed, the most frequent first, each owner by itself', () => {
  const rows = [
    ...thrice('terminal(npm publish)', { choice: 'session' }),
    asked('terminal(npm publish)', { taskId: 'other', createdAt: 2_000_000 }),
    ...thrice('terminal(git push)', { taskId: 'alice.build' }),
    asked('terminal(git push)'),
  ];
  expect(rulesOf(rows)).toEqual(['operator terminal(npm publish) 4', 'alice terminal(git push) 3']);
  expect(suggestedRules(rows, nothing)[0]).toMatchObject({ tasks: 2, lastAt: new Date(2_000_000).toISOString() });
});

it.each<readonly [string, readonly ApprovalRow[]]>([
  ['answered twice', [asked('terminal(x)'), asked('terminal(x)')]],
  ['denied', thrice('terminal(x)', { choice: 'deny', state: 'denied' })],
  ['answered always, whose rule is saved', thrice('terminal(x)', { choice: 'always' })],
  ['not offered always', thrice('terminal(x)', {}, { choices: ['once', 'session', 'deny'] })],
  [
    'of a destructive class',
    thrice('terminal(rm -rf ./x)', {}, { findings: [{ rule: 'terminal(rm:*)' }, { rule: 'D1' }] }),
  ],
  ['of the tier dangerous', thrice('terminal(x)', {}, { tier: 'dangerous' })],
  ['without findings that can be read', thrice('terminal(x)', {}, { findings: null })],
])('nothing is proposed for what was %s', (_what, rows) => {
  expect(rulesOf(rows)).toEqual([]);
});

it('a rule that is saved by now is not proposed', () => {
  const rows = [...thrice('terminal(x)'), ...thrice('terminal(x)', { taskId: 'alice.build' })];
  expect(rulesOf(rows, (owner) => owner === 'alice')).toEqual(['operator terminal(x) 3']);
});
